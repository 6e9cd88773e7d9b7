// By GET, so that the answer may come from the gateway's memory or the browser's own; the text is shown as it came, but for its line breaks.
const form = document.querySelector('form');
const [query, answer, figures, explorer] = ['query', 'answer', 'figures', 'explorer'].map((id) =>
  document.getElementById(id),
);
const run = async () => {
  const search = `?${new URLSearchParams({ query: query.value })}`;
  if (explorer) explorer.search = search;
  try {
    const startMs = performance.now();
    const response = await fetch(form.dataset.endpoint + search, {
      cache: 'no-cache',
      headers: { accept: 'application/graphql-response+json' },
    });
    const text = await response.text();
    figures.textContent = [
      response.status,
      `${(performance.now() - startMs).toFixed(1)} ms`,
      response.headers.get('cache-status'),
    ]
      .filter(Boolean)
      .join(' · ');
    answer.textContent = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    figures.textContent = '';
    answer.textContent = 'The gateway does not answer.';
  }
};
form.addEventListener('submit', (event) => {
  event.preventDefault();
  run();
});
query.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run();
});
run();
