import { createSchema } from '../../src/schema.ts';

/** The schema of a gateway for which nothing is configured. */
export const schema = createSchema();
