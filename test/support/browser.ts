import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestDatabase } from './database.ts';
import { createDemoDatabase } from './demo.ts';
import { createTestGateway } from './gateway.ts';
import { findProgram } from './programs.ts';
import { listen } from './socket.ts';

export interface DemoServer {
  readonly url: string;
  readonly database: TestDatabase;
  readonly stop: () => Promise<void>;
}

/** The gateway with the demo catalogue. On `localhost`, because Chromium offers brotli over plain HTTP only there. */
export const startDemoServer = async (environment: Record<string, string> = {}): Promise<DemoServer> => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDemoDatabase());
  const gateway = stack.use(await createTestGateway(database, environment));
  const { url } = stack.use(await listen(gateway, { HOST: 'localhost' }));
  const running = stack.move();
  return { url, database, stop: () => running.disposeAsync() };
};

// The one without windows first: it takes half the processor time.
const chromiumPath =
  process.env.CHROMIUM_PATH ?? findProgram('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome');

export const hasBrowser = chromiumPath !== undefined;

let launched: Promise<Browser> | undefined;

/** One for all files that a process runs; it ends with the process. */
export const launchBrowser = (): Promise<Browser> => {
  launched ??= chromium.launch({
    executablePath: String(chromiumPath),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return launched;
};

/** A visitor with a window of their own. */
export interface Visit {
  readonly page: Page;
  /** Paths that were answered so far. */
  readonly answered: Set<string>;
  /** Whatever the visit is about, nothing may have come from elsewhere, and nothing may have been complained about. */
  readonly expectGood: (name: string) => Promise<void>;
  /** Ends the visit, which has to have been good. */
  readonly end: (name: string) => Promise<void>;
}

/** @param allowed complaints in the console that are none */
export const startVisit = async (
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
  allowed = /^$/,
): Promise<Visit> => {
  const requested: URL[] = [];
  const answered = new Set<string>();
  const complaints: string[] = [];
  const context = await browser.newContext({
    viewport: { width: 1366, height: 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    ...options,
  });
  // No test measures by it: it ends what hangs.
  context.setDefaultTimeout(90_000);
  context.on('request', (request) => requested.push(new URL(request.url())));
  context.on('response', (response) => answered.add(new URL(response.url()).pathname));
  context.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    if (isComplaint && !allowed.test(message.text())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  const page = await context.newPage();
  const expectGood = async (name: string): Promise<void> => {
    const folder = process.env.SCREENSHOT_DIR;
    if (folder) await page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, '-')}.png`) });
    const isElsewhere = (url: URL) => url.origin !== origin && url.protocol !== 'data:';
    expect(requested.filter(isElsewhere).map(String)).toEqual([]);
    expect(complaints).toEqual([]);
  };
  return {
    page,
    answered,
    expectGood,
    end: async (name) => {
      try {
        await expectGood(name);
      } finally {
        await context.close();
      }
    },
  };
};

/** What an independent checker finds against WCAG 2.2 A and AA. */
export const findBarriers = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

/** Whether the page can be scrolled sideways. A phone makes its window as wide as the page: the width of its screen is what counts. */
export const isTooWide = async (page: Page): Promise<boolean> =>
  (await page.evaluate<number>('document.documentElement.scrollWidth')) > (page.viewportSize()?.width ?? 0);

/** As `expect.poll`, for as long as a page may take on a busy machine. */
export const poll: typeof expect.poll = (value) => expect.poll(value, { timeout: 60_000 });
