/** A fenced block of a Markdown page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line of the page that it begins in, from 1. */
  readonly line: number;
  /** Whether nothing but blank lines stands between it and the block before. */
  readonly isFollowing: boolean;
}

export interface Page {
  readonly blocks: readonly Block[];
  /** What links to its headings end with, as GitHub makes it of their text. */
  readonly anchors: ReadonlySet<string>;
  /** The targets of its links and pictures. */
  readonly links: readonly string[];
}

export const readPage = (markdown: string): Page => {
  const blocks: Block[] = [];
  const anchors = new Set<string>();
  const links: string[] = [];
  let open: { language: string; line: number; indent: string; lines: string[] } | undefined;
  let isFollowing = false;

  for (const [index, line] of markdown.split('\n').entries()) {
    const [, indent, info] = /^(\s*)```(.*)$/.exec(line) ?? [];
    if (open && info !== undefined) {
      blocks.push({ language: open.language, text: open.lines.join('\n'), line: open.line, isFollowing });
      open = undefined;
      isFollowing = true;
    } else if (open) open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
    else if (info !== undefined) open = { language: info.trim(), line: index + 1, indent: indent ?? '', lines: [] };
    else if (line.trim() !== '') {
      isFollowing = false;
      const heading = /^#+ (.*)$/.exec(line)?.[1];
      if (heading !== undefined) addAnchor(anchors, heading);
      for (const [, target] of line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)) links.push(target ?? '');
    }
  }
  if (open) throw new Error(`the block of line ${open.line} is not closed`);
  return { blocks, anchors, links };
};

const addAnchor = (anchors: Set<string>, heading: string): void => {
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  let unique = anchor;
  for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
  anchors.add(unique);
};

/** Commands of an `sh` block, and the output that stands below them, if any does. */
export interface Step {
  readonly commands: string;
  readonly line: number;
  readonly expected: string | undefined;
}

/** A comment directly below a command is expected output; any other comment is left to the shell. */
export const stepsOf = ({ text, line: blockLine }: Block): Step[] => {
  const steps: Step[] = [];
  let commands: string[] = [];
  let output: string[] = [];
  let line = blockLine + 1;
  const finish = (nextLine: number): void => {
    const isCommand = commands.some((command) => command.trim() !== '' && !command.startsWith('#'));
    if (isCommand)
      steps.push({ commands: commands.join('\n'), line, expected: output.length > 0 ? output.join('\n') : undefined });
    commands = [];
    output = [];
    line = nextLine;
  };
  for (const [index, each] of text.split('\n').entries()) {
    const isComment = each.startsWith('#');
    const isBelow = commands.at(-1)?.trim() && !commands.at(-1)?.startsWith('#');
    if (isComment && (isBelow || output.length > 0)) output.push(each.replace(/^# ?/, ''));
    else {
      if (output.length > 0) finish(blockLine + 1 + index);
      commands.push(each);
    }
  }
  finish(0);
  return steps;
};

/** Leaves out the commands that begin with one of these texts, together with the lines that they go on in. */
export const withoutCommands = (commands: string, beginnings: readonly string[]): string => {
  let isSkipping = false;
  return commands
    .split('\n')
    .filter((line) => {
      isSkipping ||= beginnings.some((beginning) => line.trimStart().startsWith(beginning));
      const isLeftOut = isSkipping;
      isSkipping &&= line.endsWith('\\');
      return !isLeftOut;
    })
    .join('\n');
};

/** Whether an output is as a page shows it, where `…` stands for anything; the layout of JSON does not count. */
export const isAsShown = (shown: string, output: string): boolean => {
  const actual = output.replaceAll('\r', '').trim();
  const json = compactJson(actual);
  const expected = json === undefined ? shown.trim() : withoutLayout(shown);
  const pattern = expected
    .split('\n')
    .map((line) => escaped(line.trimEnd()).replaceAll('…', '[^]*?'))
    .join('\\s*\\n');
  return new RegExp(`^${pattern}$`, 'u').test(json ?? actual);
};

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

const compactJson = (text: string): string | undefined => {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
};

/** Texts stay as they are. */
const withoutLayout = (json: string): string =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => (part.startsWith('"') ? part : ''));
