import { DomHandler, DomUtils, Parser } from 'htmlparser2';
import { OperatorError } from '../../errors.ts';
import type { ReadOptions } from '../options.ts';
import { isObject, type SourceRecord, type Value } from '../record.ts';
import { MAX_RECORD_BYTES, MAY_BE_CUT, type TextBlock } from './text.ts';

/** The elements that are records, in lower case: those of RSS, of Atom, and a usual one. */
const RECORD_ELEMENTS = ['item', 'entry', 'product'];

/** What an element takes in memory, in characters. */
const ELEMENT_CHARACTERS = 64;

/** Deeper elements of a record are no value of a catalogue, and could exhaust the stack. */
const MAX_DEPTH = 50;

/**
 * The records of an XML feed, with the values of their child elements under the names without a prefix: `<g:price>` is `price`. An element that
 * is repeated is a list. htmlparser2 accepts what is not well-formed and tells of it, so that a broken record costs no other. It expands no
 * entities of a document's own.
 * @throws OperatorError if there is no record
 */
export async function* readXml(
  blocks: AsyncIterable<TextBlock>,
  sourceName: string,
  { record }: ReadOptions = {},
): AsyncGenerator<SourceRecord[], void> {
  const names = record === undefined ? RECORD_ELEMENTS : [nameOf(record).toLowerCase()];
  const reader = new FeedReader(names);
  for await (const block of blocks) {
    const records = reader.read(block);
    if (records.length > 0) yield records;
  }
  if (reader.hasRecords) return;
  const elements = record === undefined ? '<item>, <entry> or <product>' : `<${record}>`;
  throw new OperatorError(`${sourceName} has no ${elements}: say which element is a record, such as --record offer.`);
}

interface OpenRecord extends Pick<SourceRecord, 'line' | 'record'> {
  readonly name: string;
  /** Makes the tree of the record. */
  readonly dom: DomHandler;
  /** How many of its elements are open, itself included. */
  depth: number;
  characters: number;
  fault?: string;
}

class FeedReader {
  hasRecords = false;
  readonly #names: ReadonlySet<string>;
  readonly #parser: Parser;
  /** How many elements are open. */
  #open = 0;
  #openedAt = 0;
  #record: OpenRecord | undefined;
  #records: SourceRecord[] = [];
  #count = 0;
  /** Whether a line has several records, as the first one tells. */
  #isNumbered: boolean | undefined;
  #block = '';
  // Indexes of the parser count from the beginning of the file.
  #blockStart = 0;
  #countedTo = 0;
  #line = 1;

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#openTag(name, attributes),
        ontext: (text) => this.#text(text),
        onclosetag: (name, isImplied) => this.#closeTag(name, isImplied),
      },
      { xmlMode: true },
    );
  }

  /** The records that end in this block. */
  read({ bytes, line, isLast }: TextBlock): SourceRecord[] {
    this.#blockStart += this.#block.length;
    this.#block = bytes.toString('utf8');
    this.#countedTo = 0;
    this.#line = line;
    this.#parser.write(this.#block);
    if (isLast) {
      if (this.#record) this.#finish(`does not end${MAY_BE_CUT}`);
      else if (this.#open > 0 && this.hasRecords) {
        const end = this.#lineOf(this.#blockStart + this.#block.length);
        this.#records.push({
          line: end,
          fields: {},
          fault: { line: end, reason: `the feed does not end${MAY_BE_CUT}` },
        });
      }
      this.#parser.end();
    }
    const records = this.#records;
    this.#records = [];
    return records;
  }

  #openTag(prefixed: string, attributes: Readonly<Record<string, string>>): void {
    const name = nameOf(prefixed);
    if (this.#record?.name === name) {
      this.#open -= this.#record.depth;
      this.#finish(`has no end: </${prefixed}> is missing`);
    }
    this.#open += 1;
    this.#openedAt = this.#parser.startIndex;
    if (!this.#record && this.#names.has(name.toLowerCase())) this.#record = this.#begin(name);
    if (!this.#record) return;
    this.#record.depth += 1;
    this.#grow(ELEMENT_CHARACTERS + Object.entries(attributes).join().length);
    if (this.#record.depth > MAX_DEPTH) this.#record.fault ??= `has more than ${MAX_DEPTH} elements in one another`;
    if (this.#isKept(this.#record)) this.#record.dom.onopentag(name, attributes);
  }

  #begin(name: string): OpenRecord {
    const start = Math.max(0, this.#parser.startIndex - this.#blockStart);
    this.#isNumbered ??= /\S[^\n]*$/.test(this.#block.slice(this.#block.lastIndexOf('\n', start - 1) + 1, start));
    this.#count += 1;
    const line = this.#lineOf(this.#parser.startIndex);
    return {
      line,
      record: this.#isNumbered ? this.#count : undefined,
      name,
      dom: new DomHandler(),
      depth: 0,
      characters: 0,
    };
  }

  #text(text: string): void {
    if (!this.#record) return;
    this.#grow(text.length);
    if (this.#isKept(this.#record)) this.#record.dom.ontext(text);
  }

  /** What is too long or too deep is not kept: the record has a fault. */
  #isKept({ characters, depth }: OpenRecord): boolean {
    return characters <= MAX_RECORD_BYTES && depth <= MAX_DEPTH;
  }

  /** Bounds the memory that a record takes. */
  #grow(characters: number): void {
    if (!this.#record) return;
    this.#record.characters += characters;
    if (this.#record.characters > MAX_RECORD_BYTES)
      this.#record.fault = `is longer than ${MAX_RECORD_BYTES / 1024 / 1024} MiB`;
  }

  #closeTag(prefixed: string, isImplied: boolean): void {
    this.#open = Math.max(0, this.#open - 1);
    if (!this.#record) return;
    // An element that closes itself, `<brand/>`, still has the index of its beginning.
    const isEmpty = isImplied && this.#parser.startIndex === this.#openedAt;
    if (isImplied && !isEmpty) this.#record.fault ??= `is not well-formed: <${prefixed}> has no end`;
    if (this.#isKept(this.#record)) this.#record.dom.onclosetag();
    this.#record.depth -= 1;
    if (this.#record.depth === 0) this.#finish();
  }

  #finish(reason = this.#record?.fault): void {
    if (!this.#record) return;
    const { dom, line, record } = this.#record;
    const root = dom.root.children.find(isElement);
    const fields = root ? recordOf(root) : {};
    this.#records.push({ line, record, fields, ...(reason !== undefined && { fault: { line, record, reason } }) });
    this.hasRecords = true;
    this.#record = undefined;
  }

  #lineOf(index: number): number {
    // A tag may begin in an earlier block.
    const end = Math.max(this.#countedTo, index - this.#blockStart);
    this.#line += this.#block.slice(this.#countedTo, end).split('\n').length - 1;
    this.#countedTo = end;
    return this.#line;
  }
}

const nameOf = (prefixed: string): string => prefixed.slice(prefixed.indexOf(':') + 1);

type Node = DomHandler['dom'][number];
type Element = Parameters<NonNullable<ConstructorParameters<typeof DomHandler>[2]>>[0];

const isElement = (node: Node): node is Element => node.type === 'tag';

type Fields = Record<string, Value>;

/** A record that is a text, as `<category id="1">Pans</category>`, has it under its own name. */
const recordOf = (element: Element): Fields => {
  const fields = fieldsOf(element);
  if (element.children.some(isElement)) return fields;
  return { [element.name]: DomUtils.textContent(element).trim(), ...fields };
};

/** The values of an element's children, and of its attributes, by their names. */
const fieldsOf = (element: Element): Fields => {
  const fields: Fields = Object.create(null);
  for (const child of element.children.filter(isElement)) addElement(fields, child);
  for (const [name, value] of attributesOf(element)) fields[name] ??= value;
  return fields;
};

const attributesOf = ({ attribs }: Element): [string, string][] =>
  Object.entries(attribs).flatMap(([name, value]) => (/^xmlns(?::|$)/.test(name) ? [] : [[nameOf(name), value]]));

/** `<price currency="EUR">5</price>` is `price` and `price@currency`, and `<param name="Size">M</param>` a name with its value. */
const addElement = (fields: Fields, element: Element): void => {
  const attributes = Object.fromEntries(attributesOf(element));
  const value = valueIn(element);
  const isNamed = typeof value === 'string' && attributes.name !== undefined;
  add(fields, element.name, isNamed ? { ...attributes, value } : value);
  // The members of an object have its attributes among them.
  if (isNamed || isObject(value)) return;
  for (const [name, text] of Object.entries(attributes)) add(fields, `${element.name}@${name}`, text);
};

const add = (fields: Fields, name: string, value: Value): void => {
  const earlier = fields[name];
  if (earlier === undefined) fields[name] = value;
  else if (!Array.isArray(earlier)) fields[name] = [earlier, value].flat();
  else for (const item of [value].flat()) earlier.push(item);
};

/** Elements that are paragraphs of a text. */
const BLOCKS = new Set(['p', 'br', 'div', 'ul', 'ol', 'li', 'table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote']);
const INLINE = new Set(['a', 'b', 'big', 'em', 'font', 'i', 'img', 'small', 'span', 'strong', 'sub', 'sup', 'u']);

/** A text; a list of what is in elements of one name, `<tags><tag>red</tag></tags>`; or the fields of elements. */
const valueIn = (element: Element): Value => {
  const children = element.children.filter(isElement);
  const names = new Set(children.map(({ name }) => name));
  const [name] = names;
  if (children.some((child) => BLOCKS.has(child.name.toLowerCase())))
    return DomUtils.getInnerHTML(element, { xmlMode: true }).trim();
  const isMixed = element.children.some((node) => !isElement(node) && DomUtils.textContent(node).trim() !== '');
  if (name === undefined || isMixed || children.some((child) => INLINE.has(child.name.toLowerCase())))
    return DomUtils.textContent(element).trim();
  const fields = fieldsOf(element);
  const isNamedSo = children.length > 1 || name.slice(0, 3) === element.name.slice(0, 3);
  const isList = isNamedSo && Object.keys(fields).every((field) => field === name || field.startsWith(`${name}@`));
  return isList ? [fields[name] ?? ''].flat() : fields;
};
