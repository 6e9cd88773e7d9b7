/*
 * What the official JSON Schemas demand of answers, in fewer words: version 2026-08-25 of https://github.com/Universal-Commerce-Protocol/ucp,
 * source/schemas/shopping/{catalog_search,catalog_lookup,types/product,types/variant}.json and source/schemas/common/types.
 */

const text = { type: 'string' };
const address = { type: 'string', format: 'uri' };

const object = (required: Record<string, unknown>, optional: Record<string, unknown> = {}) => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
});

const list = (items: unknown, minItems = 0) => ({ type: 'array', items, minItems });

const version = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' };
const price = object({
  amount: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  currency: { type: 'string', pattern: '^[A-Z]{3}$' },
});
const range = object({ min: price, max: price });
const description = {
  type: 'object',
  minProperties: 1,
  properties: { plain: text, html: text, markdown: text },
};
const media = list(object({ type: text, url: address }, { alt_text: text }));
const categories = list(object({ value: text }, { taxonomy: text }));
const selected = object({ name: text, label: text }, { id: text });

const variant = (inputs: Record<string, unknown>) =>
  object(
    { id: text, title: text, description, price, ...inputs },
    {
      sku: text,
      barcodes: list(object({ type: text, value: text })),
      handle: text,
      url: address,
      categories,
      list_price: price,
      availability: { type: 'object', properties: { available: { type: 'boolean' }, status: text } },
      options: list(selected),
      media,
      tags: list(text),
      metadata: { type: 'object' },
    },
  );

const product = (inputs: Record<string, unknown> = {}, value: Record<string, unknown> = {}) =>
  object(
    { id: text, title: text, description, price_range: range, variants: list(variant(inputs), 1) },
    {
      handle: text,
      url: address,
      categories,
      list_price_range: range,
      media,
      options: list(object({ name: text, values: list(object({ label: text }, { id: text, ...value }), 1) })),
      selected: list(selected),
      tags: list(text),
      metadata: { type: 'object' },
    },
  );

const message = {
  oneOf: [
    object(
      {
        type: { const: 'error' },
        code: text,
        content: text,
        severity: { enum: ['recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable'] },
      },
      { path: text },
    ),
    object({ type: { const: 'warning' }, code: text, content: text }, { path: text, presentation: text }),
    object({ type: { const: 'info' }, content: text }, { path: text, code: text }),
  ],
};

const entries = { type: 'object', additionalProperties: list(object({ version })) };
const envelope = object({ version }, { status: { const: 'success' }, capabilities: entries });
const failed = object({ version, status: { const: 'error' } }, { capabilities: entries });
const messages = list(message);

const pagination = {
  ...object({ has_next_page: { type: 'boolean' } }, { cursor: text, total_count: { type: 'integer', minimum: 0 } }),
  if: { properties: { has_next_page: { const: true } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['cursor'] },
};

export const SEARCH_ANSWER = object({ ucp: envelope, products: list(product()) }, { pagination, messages });

export const LOOKUP_ANSWER = object(
  { ucp: envelope, products: list(product({ inputs: list(object({ id: text }, { match: text }), 1) })) },
  { messages },
);

const signals = { available: { type: 'boolean' }, exists: { type: 'boolean' } };

export const PRODUCT_ANSWER = {
  oneOf: [
    object({ ucp: envelope, product: product({}, signals) }, { messages }),
    { ...object({ ucp: failed, messages: list(message, 1) }, { continue_url: address }), additionalProperties: false },
  ],
};
