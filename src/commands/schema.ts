import { readFile, writeFile } from 'node:fs/promises';
import { defineCommand } from 'citty';
import { OperatorError } from '../errors.ts';
import { printSdl } from '../graphql/schema.ts';

export const schemaCommand = defineCommand({
  meta: { name: 'schema', description: 'Print the SDL, write it to a file, or check a file against it.' },
  args: {
    write: { type: 'string', description: 'The file to write.', valueHint: 'FILE' },
    check: { type: 'string', description: 'The file to compare; exits with 1 when it differs.', valueHint: 'FILE' },
  },
  run: async ({ args: { write, check } }) => {
    const sdl = printSdl();
    if (write) await writeFile(write, sdl);
    else if (!check) process.stdout.write(sdl);
    else if ((await readFile(check, 'utf8')) !== sdl) {
      throw new OperatorError(`${check} differs from the code. Run "npm run schema" and commit it.`);
    }
  },
});
