#!/bin/sh
# Prisma reads `infinity` as an invalid date, which JSON shows as null, and a time with an offset as if it had none
#
# Expected: a `timestamptz` of `infinity` (PostgreSQL's own "without an end") is an error or something that a program
#   can tell, and what was read can be written back. A `timetz` of 12:00 with +02 is 10:00 UTC, as a `timestamptz` is.
# Happens: the first is `Invalid Date`, without an error. Comparisons in `where` see infinity, JSON sees null, and to
#   write the same row back is refused. The second is 12:00 UTC: its offset is cut off, and a row that is read is not
#   found by what was read.
# Matters: an API says "ends: null" of an offer, and the filter for offers without an end does not find it. A shop
#   in Berlin opens two hours late.
# Versions: prisma, @prisma/client and @prisma/adapter-pg 7.10.0, PGlite 0.5.14 (PostgreSQL 18) on Node 20.20.2 and 24.21.0
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> ends infinity: [{"ends":null}], Invalid Date
#> ends: null finds 0, ends: { not: null } finds 1, ends: { gt: new Date() } finds 1
#> written back: Invalid value for argument `ends`: Provided Date object is invalid. Expected Date.
#> opens 12:00+02: [{"opens":"1970-01-01T12:00:00.000Z"}], by which 0 are found
#> in PostgreSQL: {"opens":"12:00:00+02","instant":"10:00:00+00"}
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
model Offer {
  id    Int       @id
  ends  DateTime? @db.Timestamptz(3)
  opens DateTime? @db.Timetz(3)
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

await db.exec(`create table "Offer" (id int primary key, ends timestamptz, opens timetz);
  insert into "Offer" values (1, 'infinity', '12:00+02')`);
const count = (where) => prisma.offer.count({ where });
const { ends, opens } = await prisma.offer.findUniqueOrThrow({ where: { id: 1 } });
console.log(`ends infinity: ${JSON.stringify([{ ends }])}, ${ends}`);
const found = [await count({ ends: null }), await count({ ends: { not: null } }), await count({ ends: { gt: new Date() } })];
console.log(`ends: null finds ${found[0]}, ends: { not: null } finds ${found[1]}, ends: { gt: new Date() } finds ${found[2]}`);
await prisma.offer.update({ where: { id: 1 }, data: { ends } }).catch(({ message }) => {
  console.log(`written back: ${message.trim().split('\n').at(-1)}`);
});
console.log(`opens 12:00+02: ${JSON.stringify([{ opens }])}, by which ${await count({ opens })} are found`);
const { rows } = await db.query(`select opens::text, (opens at time zone 'UTC')::text as instant from "Offer"`);
console.log(`in PostgreSQL: ${JSON.stringify(rows[0])}`);
await prisma.$disconnect();
await server.stop();
await db.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
