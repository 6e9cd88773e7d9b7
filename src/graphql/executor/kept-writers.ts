import { hash } from 'node:crypto';
import type { VariableValues } from 'graphql';
import { type ListTexts, listTextsOf } from '../../cache/list-texts.ts';
import { ROW_ALONE, textsOf } from '../../cache/row-texts.ts';
import { numberOf } from '../../fast-path/short-lived.ts';
import { NotCompiled, Output, type Run, type Writer } from './output.ts';

interface RootField {
  /** What comes before its value. */
  readonly label: string;
  /** With the label, its arguments, and what is selected below. */
  readonly selection: string;
  /** Those in arguments, its own and those below. */
  readonly variables: ReadonlySet<string>;
}

/** A field of the root: its text is known where an earlier operation wrote the same. */
export const knownFieldWriter = ({ label, selection, variables }: RootField, write: Writer): Writer => {
  // What is before the key depends on where in the document the field stands.
  const [bracketOrComma = ''] = label;
  const id = hash('sha1', selection.slice(bracketOrComma.length), 'base64url');
  const keyFor = ({ coerced }: VariableValues): string => {
    let key = id;
    for (const name of variables) key += ` ${name in coerced ? JSON.stringify(coerced[name]) : ''}`;
    return key;
  };
  return (value, run, output) => {
    const key = run.fields && keyFor(run.variables);
    if (!run.fields || key === undefined) {
      write(value, run, output);
      return;
    }
    const { rowBudget } = run.context;
    const known = run.fields.find(key);
    if (known) {
      rowBudget.spend(known.rows, label);
      output.text += bracketOrComma + known.text;
      return;
    }
    const { gaps } = output;
    const start = output.text.length + bracketOrComma.length;
    const { spent } = rowBudget;
    write(value, run, output);
    if (output.gaps > gaps) return;
    const chars = output.text.length - start;
    run.fields.keep(key, { text: () => output.text.slice(start), chars, rows: rowBudget.spent - spent });
  };
};

/** What depends on a row, and on rows that it refers to, alone: of a row that is known, the text is kept. */
export const keptWriter = (key: string, refers: boolean, write: Writer): Writer => {
  // V8 keeps numbers below 2^31 without an object.
  const keyNumber = numberOf(key) >>> 1;
  return (row, run, output) => {
    const texts = textsOf(row as object);
    const lastChange = refers ? run.lastChange : ROW_ALONE;
    if (!texts || lastChange === undefined) {
      write(row, run, output);
      return;
    }
    let text = texts.find(key, lastChange);
    if (text === undefined) {
      if (!texts.isWanted(keyNumber)) {
        write(row, run, output);
        return;
      }
      const own = new Output();
      write(row, run, own);
      text = own.finished();
      if (text === undefined) {
        own.abandon();
        write(row, run, output);
        return;
      }
      texts.keep(key, lastChange, text);
    }
    output.text += text;
  };
};

/** @param ofRows what is written of each item, where it depends on rows alone */
export const listWriter = (write: Writer, ofRows?: { readonly key: string; readonly refers: boolean }): Writer => {
  const writeItems: Writer = (value, run, output) => {
    let isFirst = true;
    for (const item of value as unknown[]) {
      if (!isFirst) output.text += ',';
      isFirst = false;
      if (isPromise(item)) output.await(item, write);
      else write(item, run, output);
    }
  };

  /** The text of all items, which is kept with the list; undefined where one of them has to be waited for. */
  const textOf = (items: readonly unknown[], texts: ListTexts, key: string, lastChange: number, run: Run) => {
    const known = texts.find(key, lastChange, items.length);
    if (known !== undefined) return known;
    const own = new Output();
    const ends: number[] = [];
    for (const item of items) {
      if (ends.length > 0) own.text += ',';
      write(item, run, own);
      ends.push(own.text.length);
    }
    const text = own.finished();
    if (text === undefined) own.abandon();
    else texts.keep(key, lastChange, text, ends);
    return text;
  };

  return (value, run, output) => {
    if (!Array.isArray(value)) throw new NotCompiled();
    output.text += '[';
    const texts = ofRows && listTextsOf(value);
    const lastChange = ofRows?.refers ? run.lastChange : ROW_ALONE;
    const text = texts && lastChange !== undefined ? textOf(value, texts, ofRows.key, lastChange, run) : undefined;
    if (text === undefined) writeItems(value, run, output);
    else output.text += text;
    output.text += ']';
  };
};

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
