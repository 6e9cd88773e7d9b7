import { createRequire } from 'node:module';

/** Loads a package from the folder that Vendure is installed in: none of ours, so without types. */
export const load = createRequire(`${process.env.PACKAGES}/`);

const vendure = load('@vendure/core');

/** What Vendure's asset server does for an answer, without the server. */
const assetStorageStrategy = {
  toAbsoluteUrl: (_request: unknown, identifier: string) => `https://shop.example/assets${identifier}`,
};

/** As `@vendure/create` writes it, and as "Production configuration", "Cache" and "DefaultSearchPlugin" of docs.vendure.io have it. */
export const configOf = (synchronize: boolean) => ({
  apiOptions: {
    hostname: process.env.HOST,
    port: Number(process.env.PORT),
    adminApiPath: 'admin-api',
    // By default `shop-api`; the load generator knows one path.
    shopApiPath: 'graphql',
    trustProxy: 1,
    cors: { origin: [], credentials: true },
  },
  authOptions: {
    tokenMethod: ['bearer', 'cookie'],
    // In production it does not start with its defaults.
    superadminCredentials: { identifier: 'bench', password: 'not a secret' },
    cookieOptions: { secret: 'not a secret' },
  },
  dbConnectionOptions: { type: 'postgres', url: process.env.DATABASE_URL, synchronize, logging: false },
  assetOptions: { assetStorageStrategy },
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [
    load('@vendure/harden-plugin').HardenPlugin.init({ maxQueryComplexity: 500, apiMode: 'prod' }),
    vendure.DefaultSchedulerPlugin.init(),
    vendure.DefaultCachePlugin.init({}),
    vendure.DefaultJobQueuePlugin.init({ useDatabaseForBuffer: true }),
    vendure.DefaultSearchPlugin.init({ bufferUpdates: true, indexStockStatus: true }),
  ],
});
