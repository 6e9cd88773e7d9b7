import { builder } from '../graphql/builder.ts';
import type { Language as LanguageOfCatalogue } from '../language/languages.ts';

const Language = builder.objectRef<LanguageOfCatalogue>('Language').implement({
  description: 'A language that the catalogue is in.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A tag of BCP 47: `pt-BR`; `und` where the shop names no language.' }),
    name: t.exposeString('name', { description: 'Its name in the language itself: `português (Brasil)`.' }),
    isDefault: t.exposeBoolean('isDefault', { description: 'Whether texts are in it where they are not translated.' }),
  }),
});

builder.queryField('languages', (t) =>
  t.field({
    type: [Language],
    description: 'The languages of the catalogue, the default first.',
    extensions: { assumedSize: 5 },
    resolve: (_, __, { languages, dependencies }) => {
      dependencies.addNothing();
      return [...languages.all];
    },
  }),
);
