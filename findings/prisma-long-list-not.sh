#!/bin/sh
# Prisma's NOT over a list of 32,768 ids finds the very rows that the list names, and OR finds rows twice
#
# Expected: a list that is too long for one statement of PostgreSQL is split, and the parts of the result are what
#   one statement would give, or there is an error (P2029), as `notIn`, `count` and `orderBy` give it.
# Happens: the list is cut where it stands in the condition, one statement a piece, and the rows of all statements are
#   put together. That is right for a list on its own. Under NOT each statement leaves out its own piece alone, so
#   that together they find everything. Under OR, a row that the other branch finds comes once for each piece, and
#   a row whose id stands twice in the list comes twice. No error, no warning.
# Matters: "all that the file does not name" is the question of a nightly import that prunes. It is right with 30,000
#   products and takes in the whole shop with 33,000; `deleteMany` and `updateMany` cut the list in the same way.
#   `notIn` is safe: it refuses. `= any($1)` in `$queryRaw` has no such bound.
# Versions: prisma, @prisma/client and @prisma/adapter-pg 7.10.0 (npm); PGlite 0.5.14 (PostgreSQL 18)
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> a list of 3: selects 1
#>   in: 1 3
#>   not in: 32769
#>   in, or named C: 1 3 32769
#>   notIn: 32769
#> a list of 32768: selects 2
#>   in: 1 3
#>   not in: 1 3 32769 32769
#>   in, or named C: 1 3 32769 32769
#>   notIn: P2029
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
  id   Int    @id
  name String
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
const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString, max: 1 }),
  log: [{ emit: 'event', level: 'query' }],
});
let statements = 0;
prisma.$on('query', ({ query }) => {
  if (query.startsWith('SELECT')) statements++;
});
await db.exec(`create table "Product" (id int primary key, name text not null);
  insert into "Product" values (1, 'A'), (3, 'B'), (32769, 'C')`);
const ids = async (where) => {
  try {
    const found = await prisma.product.findMany({ where });
    return found.map(({ id }) => id).sort((a, b) => a - b).join(' ') || 'none';
  } catch ({ code }) {
    return code;
  }
};
for (const length of [3, 32_768]) {
  const list = Array.from({ length }, (_, index) => index + 1);
  statements = 0;
  const found = await ids({ id: { in: list } });
  console.log(`a list of ${length}: selects ${statements}`);
  console.log(`  in: ${found}`);
  console.log(`  not in: ${await ids({ NOT: { id: { in: list } } })}`);
  console.log(`  in, or named C: ${await ids({ OR: [{ id: { in: list } }, { name: 'C' }] })}`);
  console.log(`  notIn: ${await ids({ id: { notIn: list } })}`);
}
await prisma.$disconnect();
await server.stop();
await db.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
