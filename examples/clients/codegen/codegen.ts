import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: `${process.env.VITRINE_URL ?? 'http://localhost:4000'}/graphql`,
  documents: ['*.ts', '!codegen.ts'],
  generates: {
    './gql/': {
      preset: 'client',
      presetConfig: { persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: {
        documentMode: 'string',
        importExtension: '.ts',
        scalars: { DateTime: 'string', Decimal: 'string', SafeInt: 'number' },
        strictScalars: true,
        useTypeImports: true,
      },
    },
  },
};

export default config;
