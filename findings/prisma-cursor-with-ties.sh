#!/bin/sh
# Prisma with a cursor and an order that has ties reads the rest of the table, and a row is before and after the cursor
#
# Expected: `cursor: { id }` with `take: 3` reads three rows, or four, whatever the order. Where the order has ties Prisma
#   makes it definite, as the cursor's id is at hand; or it refuses.
# Happens: with `orderBy: { price }` the SQL asks for all rows whose price is at least that of the cursor's row, without a
#   LIMIT: they are all sent, and the client looks for the cursor's row and counts from there. Which of the
#   equal rows come first is left to PostgreSQL: forward and backward (`take: -3`) do not agree. With
#   `[{ price }, { id }]` there is a LIMIT, and the pages fit.
# Matters: three rows come back, so nobody sees that a table was read, until it is a large one; and page by page some
#   products are shown twice and others never.
# Versions: prisma, @prisma/client and @prisma/adapter-pg 7.10.0, PGlite 0.5.14 (PostgreSQL 18) on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> [{"price":"asc"}]: before 5: 2 1 6 (no LIMIT), after 5: 6 7 8 (no LIMIT)
#> [{"price":"asc"},{"id":"asc"}]: before 5: 2 3 4 (a LIMIT), after 5: 6 7 8 (a LIMIT)
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts prisma@7.10.0 @prisma/client@7.10.0 @prisma/adapter-pg@7.10.0 \
  @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 >&2
cat >schema.prisma <<'PRISMA'
generator client {
  provider = "prisma-client-js"
}
datasource db {
  provider = "postgresql"
}
model Product {
  id    Int @id
  price Int
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
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 1 }), log: [{ emit: 'event', level: 'query' }] });
const queries = [];
prisma.$on('query', ({ query }) => queries.push(query));
await db.exec('create table "Product" (id int primary key, price int not null)');
await db.exec('insert into "Product" select id, (id - 1) / 3 from generate_series(1, 9) as id');
for (const orderBy of [[{ price: 'asc' }], [{ price: 'asc' }, { id: 'asc' }]]) {
  const page = async (take) => {
    const rows = await prisma.product.findMany({ orderBy, cursor: { id: 5 }, skip: 1, take });
    return rows.map(({ id }) => id).join(' ');
  };
  const pages = [await page(-3), await page(3)];
  const limited = queries.splice(0).map((query) => (/ LIMIT /.test(query) ? 'a LIMIT' : 'no LIMIT'));
  console.log(`${JSON.stringify(orderBy)}: before 5: ${pages[0]} (${limited[0]}), after 5: ${pages[1]} (${limited[1]})`);
}
await prisma.$disconnect();
await server.stop();
await db.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
