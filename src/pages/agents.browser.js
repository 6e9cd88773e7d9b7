// Runs in the browser, as a file and not in the page, so that the page can forbid inline scripts.

const EXAMPLES = {
  search: { query: 'kettle', pagination: { limit: 3 } },
  lookup: { ids: ['product/1', 'product/2'] },
  product: { id: 'product/1' },
};

const form = document.querySelector('form');
const request = document.querySelector('#request');
const answer = document.querySelector('#answer');
const status = document.querySelector('#status');

const toolOf = () => new FormData(form).get('tool');

const showExample = () => {
  request.value = JSON.stringify(EXAMPLES[toolOf()], null, 2);
};

const call = async () => {
  status.value = 'asking …';
  try {
    const response = await fetch(`ucp/catalog/${toolOf()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: request.value,
    });
    status.value = `${response.status} ${response.headers.get('cache-status') ?? ''}`;
    answer.textContent = JSON.stringify(await response.json(), null, 2);
  } catch (error) {
    status.value = '';
    answer.textContent = String(error);
  }
};

for (const radio of form.elements.tool) radio.addEventListener('change', showExample);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void call();
});
showExample();
