import type { CommandDef } from 'citty';

/** Every command, loaded on demand. A name may be of two words. */
// biome-ignore lint/suspicious/noExplicitAny: each command has arguments of its own
export const COMMANDS: Readonly<Record<string, () => Promise<CommandDef<any>>>> = {
  serve: () => import('./serve.ts').then((module) => module.serveCommand),
  migrate: () => import('./migrate.ts').then((module) => module.migrateCommand),
  seed: () => import('./seed.ts').then((module) => module.seedCommand),
  import: () => import('./import.ts').then((module) => module.importCommand),
  doctor: () => import('./doctor.ts').then((module) => module.doctorCommand),
  'documents check': () => import('./documents.ts').then((module) => module.documentsCheckCommand),
  schema: () => import('./generate.ts').then((module) => module.schemaCommand),
  openapi: () => import('./generate.ts').then((module) => module.openapiCommand),
};
