#!/bin/sh
# Prisma's `relationLoadStrategy: 'join'` rounds the Decimals of related rows; 'query' gives them whole
#
# Expected: the strategy says how rows are fetched, with one query or with two. The values are the same, and a `Decimal`
#   is exact; BigInt and Bytes come back whole with both.
# Happens: with 'join' PostgreSQL makes JSON of the related rows, with decimals as JSON numbers, and the client reads those
#   as doubles before it makes Decimals of them: about 16 digits are right. A field of the row asked for itself, which
#   does not go through JSON, is exact.
# Matters: nothing looks wrong with prices. Sums in currencies with small units, rates, weights and customs numbers in
#   `numeric` columns change in their last digits when somebody makes a query faster.
# Versions: prisma, @prisma/client and @prisma/adapter-pg 7.10.0 (preview feature relationJoins), PGlite 0.5.14 (PostgreSQL 18)
#   on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> offers: 19.99 (1), 123456789012345678.99 (9007199254740993), 0.1234567890123456789 (1)
#> offers of a product, query: 19.99 (1), 123456789012345678.99 (9007199254740993), 0.1234567890123456789 (1)
#> offers of a product, join: 19.99 (1), 123456789012345680 (9007199254740993), 0.12345678901234568 (1)
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts prisma@7.10.0 @prisma/client@7.10.0 @prisma/adapter-pg@7.10.0 \
  @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 >&2
cat >schema.prisma <<'PRISMA'
generator client {
  provider        = "prisma-client-js"
  previewFeatures = ["relationJoins"]
}
datasource db {
  provider = "postgresql"
}
model Product {
  id     Int     @id
  offers Offer[]
}
model Offer {
  id        Int     @id
  productId Int
  product   Product @relation(fields: [productId], references: [id])
  amount    Decimal
  number    BigInt
}
PRISMA
# `generate` only looks whether there is an engine.
PRISMA_SCHEMA_ENGINE_BINARY=/bin/true npx prisma generate --schema schema.prisma >&2
cat >find.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@prisma/client';

const db = new PGlite();
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0 });
await server.start();
const connectionString = `postgresql://postgres@${server.getServerConn()}/postgres`;
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 1 }) });
await db.exec(`create table "Product" (id int primary key);
  create table "Offer" (id int primary key, "productId" int not null, amount decimal not null, number bigint not null);
  insert into "Product" values (1);
  insert into "Offer" values (1, 1, 19.99, 1), (2, 1, 123456789012345678.99, 9007199254740993), (3, 1, 0.12345678901234567890, 1)`);
const show = (offers) => offers.map(({ amount, number }) => `${amount.toFixed()} (${number})`).join(', ');
const orderBy = { id: 'asc' };
console.log(`offers: ${show(await prisma.offer.findMany({ orderBy }))}`);
for (const relationLoadStrategy of ['query', 'join']) {
  const { offers } = await prisma.product.findUnique({ where: { id: 1 }, relationLoadStrategy, include: { offers: { orderBy } } });
  console.log(`offers of a product, ${relationLoadStrategy}: ${show(offers)}`);
}
await prisma.$disconnect();
await server.stop();
await db.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
