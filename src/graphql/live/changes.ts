import { builder, LIVE_FIELD } from '../builder.ts';
import type { Changes } from '../context.ts';
import { EVERYTHING } from './change-topics.ts';

const ChangesType = builder.objectRef<Changes>('Changes').implement({
  description: 'Rows that were inserted, updated or deleted, visible or not; a variant names its product.',
  fields: (t) => {
    const idsOf = (name: 'products' | 'categories' | 'notices') =>
      t.field({
        type: ['Int'],
        description: `The ids of ${name}. None with \`everything\`.`,
        resolve: (changes) => [...changes[name]],
      });
    return {
      products: idsOf('products'),
      categories: idsOf('categories'),
      notices: idsOf('notices'),
      everything: t.exposeBoolean('everything', {
        description:
          'Anything may have changed: at the beginning, when something begins or ends by its date, after a truncate or a lost connection to the database, and for more than 1,000 rows.',
      }),
    };
  },
});

export const CHANGES_FIELD = 'changes';

builder.subscriptionField(CHANGES_FIELD, (t) =>
  t.field({
    ...LIVE_FIELD,
    type: ChangesType,
    description:
      'What has changed since the last event, for caches outside: at most ten events a second, each once every gateway shows what it names.',
    resolve: (_, __, { changes = EVERYTHING }) => changes,
  }),
);
