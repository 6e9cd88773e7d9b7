// SHOP_TOKEN=… GRAPHQL_PLUGINS=examples/plugins/fields-by-caller.js npm start
import { GraphQLError } from 'graphql';

/** What callers with another token may not ask for. */
const OF_THE_SHOP = new Set(['Product.stock', 'Product.sales']);

/** Refuses documents with fields that are not for their caller. @type {import('graphql-yoga').Plugin} */
const useFieldsByCaller = {
  onValidate: ({ context: { request }, addValidationRule }) => {
    if (request.headers.get('authorization') === `Bearer ${process.env.SHOP_TOKEN}`) return;
    addValidationRule((validation) => ({
      Field: (node) => {
        const field = `${validation.getParentType()?.name}.${node.name.value}`;
        if (!OF_THE_SHOP.has(field)) return;
        const extensions = { code: 'FORBIDDEN', http: { status: 403 } };
        validation.reportError(new GraphQLError(`${field} is not for this caller.`, { nodes: node, extensions }));
      },
    }));
  },
};

export default [useFieldsByCaller];
