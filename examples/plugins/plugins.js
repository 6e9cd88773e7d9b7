// GRAPHQL_PLUGINS=examples/plugins/plugins.js npm start
// Plugins of Yoga and Envelop: https://the-guild.dev/graphql/yoga-server/docs/features/envelop-plugins

/** Logs the name of each operation that memory does not answer, by either API. @type {import('graphql-yoga').Plugin} */
const useOperationNames = {
  onExecute: ({ args: { document, operationName } }) => {
    const [operation] = document.definitions.filter(({ kind }) => kind === 'OperationDefinition');
    console.log(`executes ${operationName ?? operation?.name?.value ?? 'an operation without a name'}`);
  },
};

export default [useOperationNames];
