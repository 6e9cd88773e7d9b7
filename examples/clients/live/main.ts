import { createLive } from './subscribe.ts';

const live = createLive(`${process.env.VITRINE_URL ?? 'http://localhost:4000'}/graphql`, () => ({
  authorization: `Bearer ${process.env.VITRINE_TOKEN}`,
}));

interface Notices {
  readonly notices: readonly { readonly title: string }[];
}

live<Notices>(
  { query: 'subscription { notices { id title } }' },
  {
    next: ({ data }) => console.log(data?.notices.map(({ title }) => title)),
    error: (error) => console.error('Refused:', error),
  },
);
