import pg from 'pg';

// Inner members of pg's client (lib/client.js of pg 8), which its declarations do not have. They are read here and nowhere else:
// docs/fast-path.md says what for.

interface InnerClient {
  readonly getStartupConf?: () => Record<string, string>;
  readonly processID?: number | null;
  readonly readyForQuery?: boolean;
}

const inner = (client: pg.Client): InnerClient => client as unknown as InnerClient;

/**
 * The parameters with which the driver opens a session. A subclass that overrides `getStartupConf` adds its own; a driver that has no such member any more
 * never asks for them.
 */
export const driverStartup = (
  client: pg.Client,
  { getStartupConf } = inner(pg.Client.prototype),
): Record<string, string> => getStartupConf?.call(client) ?? {};

/** The id of the server process, as given when the session began; a pooler gives an id of its own. Null where the driver has no such member any more. */
export const namedPid = (client: pg.Client): number | null => inner(client).processID ?? null;

/** Whether a statement is under way. Always false where the driver has no such member any more: then the watchdog cuts nothing. */
export const isBusy = (client: pg.Client): boolean => inner(client).readyForQuery === false;
