import { LIST_SIZE, within } from '../graphql/arguments.ts';
import { builder } from '../graphql/builder.ts';
import { ProductConnection, SearchSuggestion } from './browse.type.ts';
import {
  MAX_SEARCH_LENGTH,
  MAX_SEARCH_WORDS,
  readSearch,
  readSearchArguments,
  SEARCH_ARGUMENTS,
} from './search-arguments.ts';

// In rows: a search may touch many more products than it returns.
const SEARCH_COST = 20;

const MAX_SUGGESTIONS = 20;

builder.queryFields((t) => ({
  productSearch: t.field({
    type: ProductConnection,
    description:
      'Visible products, searched, filtered and sorted, with counts for further filters. Page through them by first and after, by last and before, or by page and pageSize.',
    args: SEARCH_ARGUMENTS,
    extensions: { extraCost: SEARCH_COST },
    resolve: (_, args, { loaders, language }) => loaders.browse.search(readSearchArguments(args, language.fallBacks)),
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
