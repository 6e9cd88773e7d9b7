import pg from 'pg';

// Inner members of pg's client (lib/client.js of pg 8), which its declarations do not have. They are read here and nowhere else:
// docs/fast-path.md says what for.

interface InnerClient {
  readonly getStartupConf: () => Record<string, string>;
  readonly processID: number | null;
  readonly readyForQuery: boolean;
}

const inner = (client: pg.Client): InnerClient => client as unknown as InnerClient;

/** The parameters with which the driver opens a session. A subclass that overrides `getStartupConf` adds its own. */
export const driverStartup = (client: pg.Client): Record<string, string> =>
  inner(pg.Client.prototype).getStartupConf.call(client);

/** The id of the server process, as given when the session began; a pooler gives an id of its own. */
export const namedPid = (client: pg.Client): number | null => inner(client).processID;

/** Whether a statement is under way. Always false where the driver has no such member any more: then the watchdog cuts nothing. */
export const isBusy = (client: pg.Client): boolean => inner(client).readyForQuery === false;
