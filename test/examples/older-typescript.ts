import { registerHooks } from 'node:module';

/** Where TypeScript 5 is. */
const parentURL = new URL('../../examples/clients/package.json', import.meta.url).href;

// The program of gql.tada calls TypeScript as a library, which TypeScript 7 is not. Preloaded by clients.slow.test.ts.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'typescript' ? { ...context, parentURL } : context),
});
