/** Puts the reference that can be tried into the place of the list of operations. */

interface InterfaceDocument {
  servers: { url: string }[];
  readonly paths: Readonly<Record<string, { servers?: { url: string }[] }>>;
}

interface ApiAnswer {
  readonly url: string;
  readonly ok: boolean;
  readonly text: string;
}

interface Reference {
  preauthorizeApiKey(scheme: string, token: string): void;
}

declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => Reference;

const scheme = matchMedia('(prefers-color-scheme: dark)');
darken();
scheme.addEventListener('change', darken);
await showReference();

/** Swagger UI is dark by a class, and not by what the reader has asked for. */
function darken(): void {
  document.documentElement.classList.toggle('dark-mode', scheme.matches);
}

async function showReference(): Promise<void> {
  const answer = await fetch('/openapi.json');
  if (!answer.ok) return;
  const reference = SwaggerUIBundle({
    spec: onThisServer(await answer.json()),
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    plugins: [withoutInfo],
    responseInterceptor(response: ApiAnswer) {
      keepToken(response, reference);
      return response;
    },
  });
}

/** The document's own head: the page has one, and what it tells of the interface is told in the guide. */
function withoutInfo(): object {
  return { wrapComponents: { InfoContainer: () => () => null } };
}

/** Calls go to where this page comes from: to other addresses, of which staging is one, browsers let nobody write. */
function onThisServer(document: InterfaceDocument): InterfaceDocument {
  const here = ({ url }: { url: string }) => ({
    url: `${location.origin}${new URL(url).pathname.replace(/\/$/, '')}`,
  });
  document.servers = document.servers.slice(0, 1).map(here);
  for (const path of Object.values(document.paths)) {
    if (path.servers !== undefined) path.servers = path.servers.map(here);
  }
  return document;
}

/** The token that somebody got here is used by the calls that follow. */
function keepToken({ url, ok, text }: ApiAnswer, reference: Reference): void {
  if (!ok || new URL(url).pathname !== '/api/v2/authenticate') return;
  reference.preauthorizeApiKey('bearer', JSON.parse(text).token);
}
