// Runs in the browser, as a file and not in the page, so that the page can forbid inline scripts.

const dark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followTheme);
followTheme();

self.SwaggerUIBundle({
  url: '/openapi.json',
  domNode: document.querySelector('#reference'),
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // The models stand in each answer; the list of them all says nothing more.
  defaultModelsExpandDepth: -1,
  // The default asks a validator on another host.
  validatorUrl: null,
});
