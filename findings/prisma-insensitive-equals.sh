#!/bin/sh
# Prisma's `equals` without regard to case takes `_` and `%` in the value for wildcards, and its `in` doesn't
#
# Expected: `{ sku: { equals: value, mode: 'insensitive' } }` finds the rows whose sku is that value, case aside, and
#   `{ in: [value], mode: 'insensitive' }` the same rows. `equals` is no search: a value is a value.
# Happens: `equals` is written as `ILIKE $1` and the value is not escaped: `A_1` also finds `AX1`, `%` finds every
#   row, and a value with a backslash does not find itself. `in` is written as `LOWER(...) IN (LOWER($1))`, which
#   is exact. `findFirst` then gives any of the rows. `not` leaves out too many for the same reason.
# Matters: article numbers are full of `_`. A look-up by one number gets another product, and the same look-up by a
#   list of one gets the right one. Escaping by hand (`A\_1`) mends `equals` and breaks `in`.
# Versions: prisma, @prisma/client and @prisma/adapter-pg 7.10.0 (npm); PGlite 0.5.14 (PostgreSQL 18)
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> equals a_1, insensitive: A_1 AX1
#> in [a_1], insensitive: A_1
#> equals %, insensitive: A_1 AX1 50% B\2
#> in [%], insensitive: none
#> equals b\2, insensitive: none
#> in [b\2], insensitive: B\2
#> not a_1, insensitive: 50% B\2
#> equals A_1: A_1
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
model Article {
  id  Int    @id
  sku String
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
await db.exec(`create table "Article" (id int primary key, sku text not null);
  insert into "Article" values (1, 'A_1'), (2, 'AX1'), (3, '50%'), (4, 'B\\2')`);
const find = async (label, sku) => {
  const found = await prisma.article.findMany({ where: { sku }, orderBy: { id: 'asc' } });
  console.log(`${label}: ${found.map((article) => article.sku).join(' ') || 'none'}`);
};
const mode = 'insensitive';
for (const value of ['a_1', '%', 'b\\2']) {
  await find(`equals ${value}, ${mode}`, { equals: value, mode });
  await find(`in [${value}], ${mode}`, { in: [value], mode });
}
await find(`not a_1, ${mode}`, { not: 'a_1', mode });
await find('equals A_1', { equals: 'A_1' });
await prisma.$disconnect();
await server.stop();
await db.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
