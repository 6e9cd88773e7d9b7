import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DockerfileParser, type Instruction, type JSONInstruction, type PropertyInstruction } from 'dockerfile-ast';

/** What a container of the image would be given. */
export interface Image {
  /** The folder that stands for its root. */
  readonly root: string;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Options {
  readonly text: string;
  /** What its COPY takes from, that is to say, what its ignore file lets through. */
  readonly context: string;
  /** An empty folder, in which every stage gets one. */
  readonly work: string;
  /** Of the commands that it runs. */
  readonly environment: NodeJS.ProcessEnv;
}

type Stage = { -readonly [Key in keyof Image]: Image[Key] } & { readonly name: string };

/**
 * Carries out a Dockerfile without an engine: each stage is a folder, and RUN runs in the stage's working directory on this machine, so it must name
 * its files relative to that.
 * @throws Error for an instruction that it does not know, and what a command that failed has said
 */
export const carryOut = async ({ text, context, work, environment }: Options): Promise<Image> => {
  const stages: Stage[] = [];

  const run = async (stage: Stage, instruction: Instruction): Promise<void> => {
    const content = instruction.getArgumentsContent() ?? '';
    const words = instruction.getArguments().map((argument) => argument.getValue());
    const here = path.join(stage.root, stage.workingDirectory);
    switch (instruction.getKeyword()) {
      case 'WORKDIR':
        stage.workingDirectory = path.posix.resolve(stage.workingDirectory, content);
        await mkdir(path.join(stage.root, stage.workingDirectory), { recursive: true });
        return;
      case 'ENV': {
        const properties = (instruction as PropertyInstruction).getProperties();
        const added = properties.map((property) => [property.getName(), property.getValue() ?? '']);
        stage.environment = { ...stage.environment, ...Object.fromEntries(added) };
        return;
      }
      case 'COPY': {
        const flags = (instruction as JSONInstruction).getFlags();
        const from = flags.find((flag) => flag.getName() === 'from')?.getValue();
        const source = from === undefined ? context : stages.find(({ name }) => name === from)?.root;
        if (source === undefined) throw new Error(`COPY from ${from}, which is no stage`);
        const target = words.at(-1) ?? '';
        for (const name of words.slice(0, -1)) {
          const to = target.endsWith('/') ? path.join(here, target, path.basename(name)) : path.join(here, target);
          await cp(path.join(source, name), to, { recursive: true, verbatimSymlinks: true });
        }
        return;
      }
      case 'RUN': {
        const began = performance.now();
        await promisify(execFile)('sh', ['-c', content], { cwd: here, env: { ...environment, ...stage.environment } });
        console.log(`${((performance.now() - began) / 1000).toFixed(1)} s  ${content}`);
        return;
      }
      case 'USER':
        stage.user = content;
        return;
      case 'ENTRYPOINT':
        stage.entrypoint = JSON.parse(content);
        return;
      case 'CMD':
        stage.command = JSON.parse(content);
        return;
      case 'HEALTHCHECK':
        stage.healthcheck = JSON.parse(content.replace(/^CMD /, ''));
        return;
      case 'EXPOSE':
        return;
      default:
        throw new Error(`${instruction.getKeyword()} is not known here`);
    }
  };

  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const stage = stages.at(-1);
    if (instruction.getKeyword() === 'FROM') {
      const [, , name = `${stages.length}`] = instruction.getArguments().map((argument) => argument.getValue());
      const root = path.join(work, name);
      await mkdir(root);
      const none = {
        workingDirectory: '/',
        environment: {},
        user: 'root',
        entrypoint: [],
        command: [],
        healthcheck: [],
      };
      stages.push({ ...none, name, root });
    } else if (stage) await run(stage, instruction);
    else if (instruction.getKeyword() !== 'ARG') throw new Error(`${instruction.getKeyword()} stands before FROM`);
  }
  const last = stages.at(-1);
  if (!last) throw new Error('There is no FROM');
  return last;
};
