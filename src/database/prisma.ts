import { hash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from './generated/client/client.ts';

// Prepared once a connection. None of our queries has a list in it, whose every length would be a statement of its own.
const statementNameGenerator = ({ sql }: { sql: string }): string => `prisma_${hash('sha1', sql, 'base64url')}`;

/** Prisma on connections that it does not own: closing them is the pool's business. */
export const createPrisma = async (pool: Pool): Promise<PrismaClient> => {
  // Prisma qualifies every table, by default with `public`; our own SQL follows the search path.
  const { rows } = await pool.query<{ schema: string }>('select current_schema() as schema');
  return new PrismaClient({
    adapter: new PrismaPg(pool, { schema: rows[0]?.schema ?? 'public', statementNameGenerator }),
  });
};
