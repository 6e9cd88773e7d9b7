import sax from 'sax';
import { OperatorError } from '../../errors.ts';
import type { ReadOptions } from '../options.ts';
import { isObject, type SourceRecord, type Value } from '../record.ts';
import { type BlockReader, MAX_RECORD_BYTES, MAY_BE_CUT, type TextBlock } from './text.ts';

/** The elements that are records, in lower case: those of RSS, of Atom, and a usual one. */
const RECORD_ELEMENTS = ['item', 'entry', 'product'];

/** What an element takes in memory, in characters. */
const ELEMENT_CHARACTERS = 64;

/** Deeper elements of a record are no value of a catalogue, and could exhaust the stack. */
const MAX_DEPTH = 50;

/**
 * The records of an XML feed, with the values of their child elements under the names without a prefix: `<g:price>` is `price`. An element that
 * is repeated is a list. sax tells of what is not well-formed and goes on, so that a broken record costs no other (saxes closes all elements at an
 * end tag without a start), and expands no entities of a document's own.
 * @throws OperatorError if there is no record
 */
export const xmlReader = (sourceName: string, { record }: ReadOptions): BlockReader => {
  const reader = new FeedReader(record === undefined ? RECORD_ELEMENTS : [nameOf(record).toLowerCase()]);
  return (block) => {
    const records = reader.read(block);
    if (!block.isLast || reader.hasRecords) return records;
    const elements = record === undefined ? '<item>, <entry> or <product>' : `<${record}>`;
    throw new OperatorError(`${sourceName} has no ${elements}: say which element is a record, such as --record offer.`);
  };
};

interface Element {
  /** Without a prefix, as the names of its attributes. */
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly children: (string | Element)[];
}

class FeedReader {
  hasRecords = false;
  readonly #names: ReadonlySet<string>;
  readonly #parser = sax.parser(true);
  #records: SourceRecord[] = [];
  /** Of the record that is open: its line, its open elements from itself on, and what is wrong with it. */
  #line = 0;
  #open: Element[] = [];
  #characters = 0;
  #fault: string | undefined;
  /** Whether the element that is closed next has no end tag. */
  #isUnclosed = false;

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
    this.#parser.onopentagstart = ({ name }) => this.#startTag(nameOf(name));
    this.#parser.onopentag = ({ name, attributes }) => this.#openTag(nameOf(name), Object.entries(attributes));
    this.#parser.ontext = (text) => this.#add(text, text.length);
    this.#parser.oncdata = (text) => this.#add(text, text.length);
    this.#parser.onclosetag = (name) => this.#closeTag(name);
    this.#parser.onerror = ({ message }) => this.#passOver(message);
  }

  /** The records that end in this block. */
  read({ bytes, isLast }: TextBlock): SourceRecord[] {
    this.#parser.write(bytes.toString('utf8'));
    if (isLast && this.#open.length > 0) this.#finish(`does not end${MAY_BE_CUT}`);
    else if (isLast) this.#parser.close();
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** sax goes on behind what is not well-formed. An element without an end is a fault of its record; an ampersand, or an end alone, is not. */
  #passOver(message: string): void {
    if (message.startsWith('Unexpected close tag')) this.#isUnclosed = true;
    if (message.startsWith('Unmatched closing tag')) this.#isUnclosed = false;
    if (message.startsWith('Unclosed root tag') && this.hasRecords) {
      const fault = { reason: `the feed does not end${MAY_BE_CUT}` };
      this.#records.push({ line: this.#parser.line + 1, fields: {}, fault });
    }
    this.#parser.resume();
  }

  #startTag(name: string): void {
    if (this.#open[0]?.name === name) this.#finish(`has no end: </${name}> is missing`);
    if (this.#open.length > 0 || !this.#names.has(name.toLowerCase())) return;
    // The parser has counted the line end that ends the name of a tag.
    this.#line = this.#parser.line + (this.#parser.column === 0 ? 0 : 1);
    this.#characters = 0;
    this.#fault = undefined;
  }

  #openTag(name: string, given: readonly (readonly [string, string])[]): void {
    if (this.#open.length === 0 && !this.#names.has(name.toLowerCase())) return;
    const attributes = given.flatMap(([each, value]) =>
      /^xmlns(?::|$)/.test(each) ? [] : [[nameOf(each), value] as const],
    );
    const element: Element = { name, attributes, children: [] };
    this.#add(element, ELEMENT_CHARACTERS + given.join().length);
    this.#open.push(element);
    if (this.#open.length > MAX_DEPTH) this.#fault ??= `has more than ${MAX_DEPTH} elements in one another`;
  }

  /** Adds to the element that is open. What is too long or too deep is not kept: the record has a fault. */
  #add(child: string | Element, characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_RECORD_BYTES) this.#fault = `is longer than ${MAX_RECORD_BYTES / 1024 / 1024} MiB`;
    else if (this.#open.length < MAX_DEPTH) this.#open.at(-1)?.children.push(child);
  }

  #closeTag(name: string): void {
    if (this.#isUnclosed) this.#fault ??= `is not well-formed: <${name}> has no end`;
    this.#isUnclosed = false;
    if (this.#open.length === 1) this.#finish(this.#fault);
    else this.#open.pop();
  }

  #finish(reason: string | undefined): void {
    const [element] = this.#open;
    if (!element) return;
    this.#records.push({
      line: this.#line,
      fields: recordOf(element),
      ...(reason !== undefined && { fault: { reason } }),
    });
    this.hasRecords = true;
    this.#open = [];
  }
}

const nameOf = (prefixed: string): string => prefixed.slice(prefixed.indexOf(':') + 1);

const isElement = (node: string | Element): node is Element => typeof node !== 'string';

/** The text of an element, with an empty line behind each paragraph. */
const textOf = ({ children }: Element): string =>
  children
    .map((child) =>
      isElement(child) ? `${textOf(child)}${PARAGRAPHS.has(child.name.toLowerCase()) ? '\n\n' : ''}` : child,
    )
    .join('');

type Fields = Record<string, Value>;

/** A record that is a text, as `<category id="1">Pans</category>`, has it under its own name. */
const recordOf = (element: Element): Fields => {
  const fields = fieldsOf(element);
  if (element.children.some(isElement)) return fields;
  return { [element.name]: textOf(element).trim(), ...fields };
};

/** The values of an element's children, and of its attributes, by their names. */
const fieldsOf = (element: Element): Fields => {
  const fields: Fields = Object.create(null);
  for (const child of element.children.filter(isElement)) addElement(fields, child);
  for (const [name, value] of element.attributes) fields[name] ??= value;
  return fields;
};

/** `<price currency="EUR">5</price>` is `price` and `price@currency`, and `<param name="Size">M</param>` a name with its value. */
const addElement = (fields: Fields, element: Element): void => {
  const attributes = Object.fromEntries(element.attributes);
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

/** Elements of HTML, which make a text. */
const PARAGRAPHS = new Set('p br div ul ol li table h1 h2 h3 h4 h5 h6 blockquote'.split(' '));
const INLINE = new Set('a b big em font i img small span strong sub sup u'.split(' '));

/** A text; a list of what is in elements of one name, `<tags><tag>red</tag></tags>`; or the fields of elements. */
const valueIn = (element: Element): Value => {
  const children = element.children.filter(isElement);
  const names = new Set(children.map(({ name }) => name));
  const [name] = names;
  const isMixed = element.children.some((node) => !isElement(node) && node.trim() !== '');
  const isHtml = [...names].some((each) => PARAGRAPHS.has(each.toLowerCase()) || INLINE.has(each.toLowerCase()));
  if (name === undefined || isMixed || isHtml) return textOf(element).trim();
  const fields = fieldsOf(element);
  const isNamedSo = children.length > 1 || name.slice(0, 3) === element.name.slice(0, 3);
  const isList = isNamedSo && Object.keys(fields).every((field) => field === name || field.startsWith(`${name}@`));
  return isList ? [fields[name] ?? ''].flat() : fields;
};
