#!/bin/sh
# Prisma's findUnique finds a row when it is asked alone, and gives null when another is asked for at the same time
#
# Expected: `findUnique({ where: { id } })` means the same whatever else runs. That several in one tick become one
#   statement (`id in (...)`) saves round trips, and changes no answer.
# Happens: alone, the database compares: a uuid in capitals, a `char(6)` without its blanks, an `inet` with `/32` and a
#   day with a time of day all find their row. Together, the database finds the rows as before, and then Prisma deals
#   them out to those who asked by comparing what was asked with what came back, as JavaScript values. Where these are
#   written differently, the row is dropped: null, no error. `findUniqueOrThrow` says that there is no record.
# Matters: Apple's and Microsoft's libraries write UUIDs in capitals. A GraphQL query for one such product is right, and
#   the same query for two of them has two nulls; a test of the resolver asks for one. Bring a key into the database's
#   form first, or use `findFirst`, which is never merged.
# Versions: prisma, @prisma/client and @prisma/adapter-pg 7.10.0 (npm); PGlite 0.5.14 (PostgreSQL 18) on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> id as stored: alone A B, together A B (1 statement)
#> id in capitals: alone A B, together null null (1 statement)
#> id in capitals, findUniqueOrThrow: alone A B, together P2025 P2025 (1 statement)
#> id in capitals, findFirst: alone A B, together A B (2 statements)
#> char(6) without its blanks: alone A B, together null null (1 statement)
#> inet with /32: alone A B, together null null (1 statement)
#> date with a time of day: alone A B, together null null (1 statement)
#> numeric 19.90 as 19.9, 20 as 20.00: alone A B, together A B (1 statement)
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
  id      String   @id @db.Uuid
  name    String
  code    String   @unique @db.Char(6)
  address String   @unique @db.Inet
  day     DateTime @unique @db.Date
  price   Decimal  @unique
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
let statements = 0;
prisma.$on('query', () => statements++);

await db.exec(`create table "Product" (id uuid primary key, name text, code char(6), address inet, day date, price numeric);
  insert into "Product" values
    ('0190b5a0-0000-7000-8000-00000000000a', 'A', 'A1', '192.0.2.1', '2026-11-28', 19.90),
    ('0190b5a0-0000-7000-8000-00000000000b', 'B', 'B1', '192.0.2.2', '2026-11-29', 20)`);
const show = async (label, [first, second], method = 'findUnique') => {
  const ask = (where) => prisma.product[method]({ where }).then((row) => row && row.name, ({ code }) => code);
  const alone = [await ask(first), await ask(second)];
  statements = 0;
  const together = (await Promise.all([ask(first), ask(second)])).map(String);
  console.log(`${label}: alone ${alone.join(' ')}, together ${together.join(' ')} (${statements} statement${statements > 1 ? 's' : ''})`);
};
const ids = ['0190b5a0-0000-7000-8000-00000000000a', '0190b5a0-0000-7000-8000-00000000000b'].map((id) => ({ id }));
const capitals = ids.map(({ id }) => ({ id: id.toUpperCase() }));
await show('id as stored', ids);
await show('id in capitals', capitals);
await show('id in capitals, findUniqueOrThrow', capitals, 'findUniqueOrThrow');
await show('id in capitals, findFirst', capitals, 'findFirst');
await show('char(6) without its blanks', [{ code: 'A1' }, { code: 'B1' }]);
await show('inet with /32', [{ address: '192.0.2.1/32' }, { address: '192.0.2.2/32' }]);
await show('date with a time of day', [{ day: new Date('2026-11-28T12:00Z') }, { day: new Date('2026-11-29T12:00Z') }]);
await show('numeric 19.90 as 19.9, 20 as 20.00', [{ price: '19.9' }, { price: '20.00' }]);
await prisma.$disconnect();
await server.stop();
await db.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
