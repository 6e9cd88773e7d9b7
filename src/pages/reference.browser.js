// Runs in the browser, as a file and not in the page, so that the page can forbid inline scripts.

const dark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followTheme);
followTheme();

/**
 * Swagger UI looks for an input of its own for the format of a list's items, and warns where there is none. For a single value it falls back to
 * the input for texts without a warning: this is the same for the items of `categoryIds`.
 */
const int32Input = ({ React }) => ({
  components: {
    JsonSchema_integer_int32: (props) => React.createElement(props.getComponent('JsonSchema_string'), props),
  },
});

self.SwaggerUIBundle({
  plugins: [int32Input],
  url: 'openapi.json',
  domNode: document.querySelector('#reference'),
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // The models stand in each answer; the list of them all says nothing more.
  defaultModelsExpandDepth: -1,
  // The default asks a validator on another host.
  validatorUrl: null,
});
