import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from './generated/client/client.ts';

/** Prisma on connections that it does not own: closing them is the pool's business. */
export const createPrisma = (pool: Pool): PrismaClient => new PrismaClient({ adapter: new PrismaPg(pool) });
