import pg from 'pg';

/**
 * The connections of a server that writes its SQL by hand. PostgreSQL would plan some of the prepared statements again for every execution, as it
 * hopes for more from knowing the limit; planning costs more than it saves.
 */
export const createPool = (): pg.Pool =>
  new pg.Pool({ connectionString: process.env.DATABASE_URL, options: '-c plan_cache_mode=force_generic_plan' });
