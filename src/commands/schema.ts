import { defineCommand } from 'citty';
import { printSdl } from '../graphql/schema.ts';
import { GENERATED_FILE_ARGS, printWriteOrCheck } from './generated-file.ts';

export const schemaCommand = defineCommand({
  meta: { name: 'schema', description: 'Print the SDL, write it to a file, or check a file against it.' },
  args: GENERATED_FILE_ARGS,
  run: ({ args: { write, check } }) =>
    printWriteOrCheck(printSdl(), {
      write,
      check,
      differs: (file) => `${file} differs from the code. Run "npm run schema" and commit it.`,
    }),
});
