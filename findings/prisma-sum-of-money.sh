#!/bin/sh
# Prisma reads and writes a column of `money`, and cannot add it up
#
# Expected: where a field is `Decimal @db.Money`, `aggregate` gives its sum as `findMany` gives its values.
# Happens: rows come as `amount::numeric`, but the sum as PostgreSQL prints money, `$1,200.00`, of which the adapter
#   takes the first character away and reads the rest as a number. That does for sums from 0 to 999.99; a larger
#   one, or one below zero, fails the whole query. `_avg` is refused by PostgreSQL, which has none of money.
# Matters: tests with small prices pass. The dashboard fails on the day when the thousand is reached.
# Versions: prisma, @prisma/client and @prisma/adapter-pg 7.10.0, PGlite 0.5.14 (PostgreSQL 18) on Node 20.20.2 and 24.21.0
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> [600] and [399.99]: read 600.00 399.99, the greatest 600.00, the sum 999.99
#> [600] and [400]: read 600.00 400.00, the greatest 600.00, the sum "[DecimalError] Invalid argument: 1,000.00"
#> [-5]: read -5.00, the greatest -5.00, the sum "[DecimalError] Invalid argument: $5.00"
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
model Payment {
  id     Int     @id @default(autoincrement())
  amount Decimal @db.Money
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

await db.exec('create table "Payment" (id serial primary key, amount money not null)');
const greatest = async () => (await prisma.payment.aggregate({ _max: { amount: true } }))._max.amount.toFixed(2);
const sum = async () => {
  try {
    return (await prisma.payment.aggregate({ _sum: { amount: true } }))._sum.amount.toFixed(2);
  } catch ({ message }) {
    return JSON.stringify(message.trim().split('\n').at(-1));
  }
};
for (const amounts of [[600, 399.99], [600, 400], [-5]]) {
  await prisma.payment.deleteMany();
  await prisma.payment.createMany({ data: amounts.map((amount) => ({ amount })) });
  const read = (await prisma.payment.findMany({ orderBy: { id: 'asc' } })).map(({ amount }) => amount.toFixed(2));
  const label = amounts.map((amount) => `[${amount}]`).join(' and ');
  console.log(`${label}: read ${read.join(' ')}, the greatest ${await greatest()}, the sum ${await sum()}`);
}
await prisma.$disconnect();
await server.stop();
await db.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
