import { afterAll } from 'vitest';

/** What all tests of a file use, and is closed after the last of them, last opened first: `const shop = await shared(createRestShop())`. */
export const shared = async <Resource extends AsyncDisposable>(opening: Promise<Resource>): Promise<Resource> => {
  const resource = await opening;
  afterAll(() => resource[Symbol.asyncDispose]());
  return resource;
};
