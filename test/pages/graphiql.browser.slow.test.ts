import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readExamples } from '../../src/pages/graphiql.ts';
import {
  type DemoServer,
  hasBrowser,
  launchBrowser,
  poll,
  startDemoServer,
  startVisit,
  type Visit,
} from '../support/browser.ts';
import { readStream } from '../support/events.ts';
import { insertNotice } from '../support/rows.ts';

const examples = readExamples();
const operationNames = examples.map(({ query }) => /^\w+ (\w+)/m.exec(query)?.[1] ?? 'unnamed');

describe.skipIf(!hasBrowser)('GraphiQL in a browser', () => {
  let gateway: DemoServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;

  // One window for all: the editor is large, and a browser that has it already takes half the processor time.
  beforeAll(async () => {
    browser = await launchBrowser();
    gateway = await startDemoServer();
    visit = await startVisit(browser, gateway.url);
    page = visit.page;
  });

  afterAll(async () => {
    await visit?.end('GraphiQL');
    await gateway?.stop();
  });

  // A visitor who was never here.
  beforeEach(async () => {
    await page.goto(`${gateway.url}/livez`);
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  });

  afterEach(({ task }) => visit.expectGood(task.name));

  const editor = () => page.locator('.graphiql-query-editor .monaco-editor');
  const tabs = () => page.locator('.graphiql-tab').allInnerTexts();
  const shownText = async (selector: string) =>
    ((await page.locator(selector).textContent()) ?? '').replaceAll('\u00a0', ' ');
  const shownQuery = () => shownText('.graphiql-query-editor .view-lines');
  const stored = (key: string) => page.evaluate<string | null>(`localStorage.getItem('graphiql:${key}')`);

  const open = async (path = '/graphql') => {
    await page.goto(gateway.url + path);
    await editor().waitFor();
  };

  /** Changes to a tab, until GraphiQL knows what runs in it: it looks at the text a moment after it shows it. */
  const changeTab = async (name: string) => {
    await page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${name}$`) }).click();
    await poll(async () => (await stored('query')) ?? '').toMatch(new RegExp(`^\\w+ ${name}\\b`, 'm'));
  };

  const append = async (text: string) => {
    await editor().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(text);
    await poll(async () => (await stored('tabState')) ?? '').toContain(text);
  };

  test('opens with every example in a tab of its name', async () => {
    await open();
    expect(await tabs()).toEqual(operationNames);
    expect(await shownQuery()).toContain('query Home(');
  });

  test('shows the operation of a tab at its first click', async () => {
    await open();
    for (const name of operationNames.toReversed()) await changeTab(name);
  });

  test('answers every example without an error', async () => {
    for (const { query, variables } of examples) {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ query, variables: JSON.parse(variables || '{}') }),
      });
      if (/^query/m.test(query)) expect(await response.json()).not.toHaveProperty('errors');
      else {
        const stream = readStream(response);
        await poll(() => stream.results).toMatchObject([{ data: expect.any(Object) }]);
        await stream.leave();
      }
    }
  });

  test('shows each event of a subscription', async () => {
    await open();
    await changeTab('NoticeChanges');
    await page.locator('.graphiql-execute-button').click();
    await poll(() => shownText('.result-window')).toContain('"notices": [');
    await insertNotice(gateway.database, { title: 'Just now', starts_at: new Date().toISOString(), pinned: true });
    await poll(() => shownText('.result-window')).toContain('Just now');
  });

  test('shows the answer of an example that is run', async () => {
    await open();
    await changeTab('Notice');
    const running = page.waitForResponse(
      (response) => response.request().postData()?.includes('query Notice(') === true,
    );
    await page.locator('.graphiql-execute-button').click();
    const { data } = (await (await running).json()) as { data: { notice: { viewCount: number } } };
    await poll(() => shownText('.result-window')).toContain(`"viewCount": ${data.notice.viewCount}`);
  });

  test('explains the schema', async () => {
    await open();
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await page.getByRole('link', { name: 'noticePage', exact: true }).waitFor();
  });

  test('loads nothing but a small page the second time', async () => {
    await open();
    // Page style, script and start, and the three workers of the editor, which come when they are needed.
    await poll(() => [...visit.answered].filter((path) => path.startsWith('/graphiql/'))).toHaveLength(6);
    await page.reload();
    await editor().waitFor();
    const transferred = await page.evaluate<{ name: string; bytes: number }[]>(
      `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
        .map(({ name, transferSize }) => ({ name, bytes: transferSize }))`,
    );
    const ofAssets = transferred.filter(({ name }) => name.includes('/graphiql/'));
    expect(ofAssets.length).toBeGreaterThanOrEqual(3);
    expect(ofAssets.filter(({ bytes }) => bytes > 0)).toEqual([]);
    expect(transferred[0]?.bytes).toBeLessThan(4096);
  });

  test('keeps what a visitor has changed, and opens where they left', async () => {
    await open();
    await changeTab('NoticeChanges');
    await append('# mine');
    await open();
    expect(await tabs()).toEqual(operationNames);
    expect(await shownQuery()).toContain('# mine');
  });

  test('opens the operation in the address beside the tabs, until it is changed', async () => {
    const link = `/graphql?${new URLSearchParams({ query: 'query Linked($id: Int!) { notice(id: $id) { id } }', variables: '{"id":7}' })}`;
    await open(link);
    expect(await tabs()).toEqual(['Linked', ...operationNames]);
    expect(await shownQuery()).toContain('query Linked');
    expect(await shownText('.graphiql-editor-tool')).toContain('"id": 7');
    await open(link);
    expect(await tabs()).toEqual(['Linked', ...operationNames]);
    await append('# mine');
    expect(page.url()).toBe(`${gateway.url}/graphql`);
  });

  test('shows query, answer and documentation in their full width on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open();
    await page.locator('.graphiql-execute-button').click();
    await poll(() => shownText('.result-window')).toContain('"categories"');
    const boxOf = async (selector: string) => (await page.locator(selector).boundingBox()) ?? { y: 0, width: 0 };
    const [query, answer] = [await boxOf('.graphiql-query-editor'), await boxOf('.result-window')];
    expect(Math.min(query.width, answer.width)).toBeGreaterThan(340);
    expect(answer.y).toBeGreaterThan(query.y);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await page.getByRole('link', { name: 'noticePage', exact: true }).waitFor();
    await poll(async () => (await boxOf('.graphiql-plugin')).width).toBeGreaterThan(340);
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
    await editor().click();
  });
});
