// Runs in the browser, as a file and not in the page, so that the page can forbid inline scripts.

const { options, examples, workers } = JSON.parse(document.querySelector('#config').textContent);

/** Of an address that is relative to the page. */
const absolute = (address) => new URL(address, location.href).href;

self.MonacoEnvironment = { getWorkerUrl: (_moduleId, label) => absolute(workers[label]) };

const pretty = (json) => {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
};

/** The operation in the address: `/graphql?query={notices{title}}`. */
const linkedTab = () => {
  const search = new URLSearchParams(location.search);
  const query = search.get('query');
  return query ? { query, variables: pretty(search.get('variables') ?? '') } : undefined;
};

/** The tab a returning visitor had open. GraphiQL finds it by its content, and opens an empty one if not told of it. */
const storedTab = () => {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
    return tabs?.[activeTabIndex];
  } catch {
    return undefined;
  }
};

const linked = linkedTab();
const opened = linked ?? storedTab() ?? examples[0];

// GraphiQL as shipped writes every edit of the query into the address, without its variables. Here the address
// is the link that was followed until something else is shown, and a reload finds the tabs in the storage.
const forgetLinkUnless = (stillShown) => {
  if (linked && !stillShown) history.replaceState(null, '', location.pathname);
};

self.YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
  ...options,
  endpoint: absolute(options.endpoint),
  defaultTabs: linked ? [linked, ...examples] : examples,
  query: opened.query ?? '',
  variables: opened.variables ?? '',
  initialHeaders: opened.headers ?? undefined,
  onEditQuery: (query) => forgetLinkUnless(query === linked?.query),
  onEditVariables: (variables) => forgetLinkUnless(variables === linked?.variables),
  // Headers may hold an access token: they are stored only for a visitor who has chosen so in the settings.
  shouldPersistHeaders: localStorage.getItem('graphiql:shouldPersistHeaders') === 'true',
  showPersistHeadersSettings: true,
});
