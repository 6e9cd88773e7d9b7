import { configOf, load } from './config.ts';

// Vendure's server. Its worker has nothing to do while nothing changes.

const app = await load('@vendure/core').bootstrap(configOf(false));
console.log(`listening on http://${process.env.HOST}:${app.getHttpServer().address().port}`);
