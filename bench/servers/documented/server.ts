// The stack of the gateway as its documentations show it, without a cache: Yoga, Pothos with its Prisma plugin, Prisma.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createYoga } from 'graphql-yoga';
import { builder } from './builder.ts';
import './catalogue.ts';
import './notices.ts';

// https://the-guild.dev/graphql/yoga-server/docs
const server = createServer(createYoga({ schema: builder.toSchema() }));

server.listen(Number(process.env.PORT), process.env.HOST, () => {
  console.log(`listening on http://${process.env.HOST}:${(server.address() as AddressInfo).port}`);
});
