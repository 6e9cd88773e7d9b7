import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { FrameDocument, HomeDocument } from '../../examples/shop/operations.ts';
import { type DemoServer, launchBrowser, startDemoServer, startVisit, type Visit } from './browser.ts';

export interface ShopVisits {
  readonly server: DemoServer;
  /** Opens a page of the demo shop, once it shows its view, in a window of its own. @param allowed complaints in the console that are none */
  readonly open: (path: string, options?: BrowserContextOptions, allowed?: RegExp) => Promise<Page>;
  /** Opens another page in the window that is open, and waits as `open` does. */
  readonly goTo: (path: string) => Promise<void>;
  /** Ends the visit before the test does. */
  readonly end: () => Promise<void>;
}

/** Visits to the demo shop, one at a time, each ended with its test. Call it where tests are described. */
export const useShopVisits = (environment: Readonly<Record<string, string>> = {}): ShopVisits => {
  let server: DemoServer;
  let visit: Visit | undefined;

  const end = async (name = 'visit'): Promise<void> => {
    const ending = visit;
    visit = undefined;
    await ending?.end(name);
  };

  const goTo = async (path: string): Promise<void> => {
    if (!visit) throw new Error('no window is open');
    await visit.page.goto(server.url + path);
    await visit.page.locator('main h1').waitFor();
    await visit.page.locator('main:not([aria-busy])').waitFor();
  };

  beforeAll(async () => {
    server = await startDemoServer(environment);
    await warmUp(server.url);
  });
  afterEach(({ task }) => end(task.name));
  afterAll(() => server?.stop());

  return {
    get server() {
      return server;
    },
    open: async (path, options, allowed) => {
      visit = await startVisit(await launchBrowser(), server.url, options, allowed);
      await goTo(path);
      return visit.page;
    },
    goTo,
    end: () => end(),
  };
};

/** The first answers of a process are its slowest: on a busy machine the load guard would refuse what comes after them. */
const warmUp = async (url: string): Promise<void> => {
  for (const document of [FrameDocument, HomeDocument]) {
    const target = `${url}/graphql?${new URLSearchParams({ query: String(document) })}`;
    await vi.waitUntil(async () => (await fetch(target)).status !== 503, { timeout: 60_000 });
  }
  await fetch(`${url}/demo`);
};
