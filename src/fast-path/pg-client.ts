import pg from 'pg';

// The inner members of pg's client that are used (lib/client.js of pg 8): its declarations do not have them. They are read here and nowhere else:
// docs/fast-path.md says what for.

interface InnerClient {
  readonly getStartupConf: () => Record<string, string>;
  readonly processID: number | null;
  readonly readyForQuery: boolean;
}

const inner = (client: pg.Client): InnerClient => client as unknown as InnerClient;

/** The parameters of the message that opens a session, as the driver sends them. A subclass that overrides `getStartupConf` adds its own. */
export const driverStartup = (client: pg.Client): Record<string, string> =>
  inner(pg.Client.prototype).getStartupConf.call(client);

/** The server process that was named when the session began; a pooler names something of its own. */
export const namedPid = (client: pg.Client): number | null => inner(client).processID;

/** Whether a statement is under way. False where the driver no longer says so: its statements have no time limit of ours then. */
export const isBusy = (client: pg.Client): boolean => inner(client).readyForQuery === false;
