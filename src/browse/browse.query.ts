import type { InputShapeFromFields } from '@pothos/core';
import { DEFAULT_PAGE_SIZE, LIST_SIZE, PAGE_NUMBER, within, withinIfGiven } from '../graphql/arguments.ts';
import { builder } from '../graphql/builder.ts';
import { ProductConnection, ProductFilter, ProductSearchOrderEnum, SearchSuggestion } from './browse.type.ts';
import {
  LAST_NUMBERED_ROW,
  MAX_SEARCH_LENGTH,
  MAX_SEARCH_WORDS,
  readSearch,
  readSearchArguments,
} from './search-arguments.ts';

// In rows: a search may touch many more products than it returns.
const SEARCH_COST = 20;

const MAX_SUGGESTIONS = 20;

const SEARCH_ARGUMENTS = builder.args((t) => ({
  search: t.string({
    description: `Words that a product must have, the last one as a beginning, or a whole \`sku\` or \`barcode\`, whose product comes first; case and accents do not count. Blank: no search. At most ${MAX_SEARCH_LENGTH} characters and ${MAX_SEARCH_WORDS} words.`,
  }),
  filter: t.field({ type: ProductFilter, description: 'What products must be like.' }),
  orderBy: t.field({
    type: ProductSearchOrderEnum,
    description: 'Absent: RELEVANCE with a search, else BEST_SELLING.',
  }),
  first: t.int(
    withinIfGiven(LIST_SIZE, `, from the beginning or \`after\`. ${DEFAULT_PAGE_SIZE} where no size is given`),
  ),
  after: t.string({ description: 'The cursor that the page comes after, of the same search and order.' }),
  last: t.int(withinIfGiven(LIST_SIZE, ', from the end or `before`')),
  before: t.string({ description: 'The cursor that the page comes before, of the same search and order.' }),
  page: t.int(withinIfGiven(PAGE_NUMBER, `, as far as row ${LAST_NUMBERED_ROW}`)),
  pageSize: t.int(withinIfGiven(LIST_SIZE, `, with \`page\`. Absent: ${DEFAULT_PAGE_SIZE}`)),
}));

export type SearchArguments = InputShapeFromFields<typeof SEARCH_ARGUMENTS>;

builder.queryFields((t) => ({
  productSearch: t.field({
    type: ProductConnection,
    description:
      'Visible products, searched, filtered and sorted, with counts for further filters. Page through them by first and after, by last and before, or by page and pageSize.',
    args: SEARCH_ARGUMENTS,
    extensions: { extraCost: SEARCH_COST },
    resolve: (_, args, { loaders }) => loaders.browse.search(readSearchArguments(args)),
  }),

  searchSuggestions: t.field({
    type: [SearchSuggestion],
    description:
      'Names, categories, brands and tags that begin so in any of their words: the best-selling first, each text once.',
    args: {
      prefix: t.arg.string({
        required: true,
        description: `What somebody has typed so far. Blank: no suggestions. At most ${MAX_SEARCH_LENGTH} characters and ${MAX_SEARCH_WORDS} words.`,
      }),
      limit: t.arg.int(within({ ...LIST_SIZE, maximum: MAX_SUGGESTIONS }, 8)),
    },
    extensions: { extraCost: SEARCH_COST },
    resolve: async (_, { prefix, limit }, { loaders }) => [
      ...(await loaders.browse.suggest({ terms: readSearch(prefix, 'prefix'), limit })),
    ],
  }),
}));
