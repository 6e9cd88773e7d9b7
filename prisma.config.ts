import { defineConfig } from 'prisma/config';

// `prisma generate` asks for the schema engine although it does not run it. Where that binary cannot be downloaded, any
// executable satisfies the check; `prisma migrate dev` does need the real one, so only `generate` gets the stand-in.
if (process.argv.includes('generate')) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(process.env.DATABASE_URL ? { datasource: { url: process.env.DATABASE_URL } } : {}),
});
