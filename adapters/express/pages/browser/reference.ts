/** Replaces the list of operations with the interactive reference when the reader asks for it, because it is large. */

interface OpenApiDocument {
  servers: { url: string }[];
}

interface ApiAnswer {
  readonly url: string;
  readonly ok: boolean;
  readonly text: string;
}

interface Reference {
  preauthorizeApiKey(scheme: string, token: string): void;
}

/** What Swagger UI draws with. */
interface ReactLibrary {
  createElement(type: unknown, ...given: readonly unknown[]): unknown;
}

declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => Reference;

/** Accessible names for controls that Swagger UI leaves unnamed. */
const names: Readonly<Record<string, string>> = {
  '#servers': 'Server',
  'select.examples-select-element': 'Example',
  'select.content-type': 'Media type',
  '.parameters select': 'Value',
  '.body-param__text': 'Request body',
  '.close-modal': 'Close the dialog',
};

/** The address of the docs with this part opens the reference at once. */
const OPEN = '#try-out';

const scheme = matchMedia('(prefers-color-scheme: dark)');
darken();
scheme.addEventListener('change', darken);
const place = document.getElementById('reference');
if (place !== null)
  new MutationObserver(() => nameControls(place)).observe(place, { childList: true, subtree: true });
const button = document.querySelector<HTMLButtonElement>('#try-out');
if (button !== null) offerReference(button);

function offerReference(button: HTMLButtonElement): void {
  showOffer(true);
  button.addEventListener('click', () => {
    button.disabled = true;
    openReference(button).catch(() => {
      button.disabled = false;
      button.textContent = 'Loading failed. Try again';
    });
  });
  if (location.hash === OPEN) button.click();
}

function showOffer(isShown: boolean): void {
  document.getElementById('offer')?.toggleAttribute('hidden', !isShown);
}

async function openReference(button: HTMLButtonElement): Promise<void> {
  button.textContent = 'Loading …';
  const { script = '', styles = '' } = button.dataset;
  await Promise.all([
    load('link', { rel: 'stylesheet', href: path(styles) }),
    load('script', { src: path(script) }),
  ]);
  await showReference();
  showOffer(false);
  history.replaceState(null, '', OPEN);
}

function load(name: 'link' | 'script', attributes: Readonly<Record<string, string>>): Promise<unknown> {
  const element = document.createElement(name);
  Object.assign(element, attributes);
  return new Promise((resolve, reject) => {
    element.addEventListener('load', resolve);
    element.addEventListener('error', reject);
    // The page's own styles come last and win.
    document.head.prepend(element);
  });
}

/** A path of the service, under the path of `PUBLIC_URL`. */
function path(own: string): string {
  return `${document.documentElement.dataset.basePath ?? ''}${own}`;
}

/** Swagger UI is dark by a class instead of the reader's preference. */
function darken(): void {
  document.documentElement.classList.toggle('dark-mode', scheme.matches);
}

async function showReference(): Promise<void> {
  const answer = await fetch(path('/openapi.json'));
  if (!answer.ok) return;
  const reference = SwaggerUIBundle({
    spec: onThisServer(await answer.json()),
    dom_id: '#reference',
    // Its deep links are inside buttons, and its syntax colors have too little contrast.
    deepLinking: false,
    syntaxHighlight: { activated: false },
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    plugins: [withoutInfo, withoutMain],
    responseInterceptor(response: ApiAnswer) {
      keepToken(response, reference);
      return response;
    },
  });
}

/** For screen readers, and for scrolling by keyboard. */
function nameControls(root: HTMLElement): void {
  for (const [selector, name] of Object.entries(names)) {
    for (const control of root.querySelectorAll(selector)) {
      if (!control.hasAttribute('aria-label')) control.setAttribute('aria-label', name);
    }
  }
  // The names of these differ from their visible text.
  for (const button of root.querySelectorAll('.auth-btn-wrapper [aria-label]'))
    button.removeAttribute('aria-label');
  for (const code of root.querySelectorAll<HTMLElement>('pre')) code.tabIndex = 0;
  // Swagger UI's headings begin at h3, and follow the page's h1.
  for (const heading of root.querySelectorAll('h3, h4, h5'))
    heading.setAttribute('aria-level', String(Number(heading.tagName.slice(1)) - 1));
}

/** Leaves out the document's head: the page has its own, and the guide has the rest. */
function withoutInfo(): object {
  return { wrapComponents: { InfoContainer: () => () => null } };
}

/** Swagger UI has a `main` element, but is inside that of the page. Its plugins cannot replace single elements. */
function withoutMain({ React }: { readonly React: ReactLibrary }): object {
  const { createElement } = React;
  React.createElement = (type, ...given) => createElement(type === 'main' ? 'div' : type, ...given);
  return {};
}

/** Calls go to this server: browsers block calls to other origins, such as staging. */
function onThisServer(document: OpenApiDocument): OpenApiDocument {
  const here = ({ url }: { url: string }) => ({
    url: `${location.origin}${new URL(url).pathname.replace(/\/$/, '')}`,
  });
  document.servers = document.servers.slice(0, 1).map(here);
  return document;
}

/** Uses the token of an `authenticate` call for the calls that follow. */
function keepToken({ url, ok, text }: ApiAnswer, reference: Reference): void {
  if (!ok || !new URL(url).pathname.endsWith('/api/v2/authenticate')) return;
  reference.preauthorizeApiKey('bearer', JSON.parse(text).token);
}
