/** Changes the language of samples, leads on from old anchors, and sends the calls that a reader tries. */

/** A longer answer is cut: a browser takes long to show it. */
const MAX_SHOWN_CHARACTERS = 100_000;
/** The headers of an answer that a program needs. */
const shownHeaders = ['X-Error-Code', 'Retry-After', 'Link', 'X-Request-Id'];
const ACCESS_KEY = /^\d{24}$/;

/** The forms ask for one access key: what is typed into one field is in all. */
const accessFields = document.querySelectorAll<HTMLInputElement>('.try-access');
const base = document.documentElement.dataset.basePath ?? '';
/** The token for the access key in the fields. It is nowhere else. */
let token: string | null = null;

leadOn();
for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-language]'))
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(link);
  });
for (const part of document.querySelectorAll('details.try')) part.removeAttribute('hidden');
setAccess(document.querySelector<HTMLElement>('[data-access-key]')?.dataset.accessKey ?? '');
for (const field of accessFields) field.addEventListener('input', () => setAccess(field.value));
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-try]')) offerTrying(form);

function setAccess(value: string): void {
  token = null;
  for (const field of accessFields) if (field.value !== value) field.value = value;
}

/** Parts of pages have moved to pages of their own. */
function leadOn(): void {
  const moved = document.getElementById(location.hash.slice(1));
  const link = moved?.dataset.leadsOn === undefined ? null : moved.querySelector('a');
  if (link !== null) location.replace(link.href);
}

/** Shows the language of the link everywhere, where there is it. The service remembers it for the next page. */
function choose({ href, dataset: { language } }: HTMLAnchorElement): void {
  for (const place of document.querySelectorAll('.languages')) {
    const parts = [...place.querySelectorAll<HTMLElement>('[data-language]')];
    if (parts.every((part) => part.dataset.language !== language)) continue;
    for (const part of parts) {
      const isChosen = part.dataset.language === language;
      if (part.localName !== 'a') part.hidden = !isChosen;
      else if (isChosen) part.setAttribute('aria-current', 'true');
      else part.removeAttribute('aria-current');
    }
  }
  // Also if the reader leaves at once.
  fetch(href, { method: 'HEAD', keepalive: true }).catch(() => undefined);
}

function offerTrying(form: HTMLFormElement): void {
  const own = form.closest<HTMLElement>('[data-own]')?.dataset.own;
  if (own !== undefined) fillIn(form, JSON.parse(own));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

/** With the reader's own values. What changes something gets none but the organization: the reader has to choose. */
function fillIn(form: HTMLFormElement, own: Readonly<Record<string, string>>): void {
  const [organization, ...others] = inputs(form).filter(({ dataset }) => dataset.in === 'path');
  if (organization !== undefined) organization.value = own.organization ?? '';
  for (const input of others) input.value = (form.dataset.try === 'GET' && own[input.name]) || '';
}

async function send(form: HTMLFormElement): Promise<void> {
  const output = form.querySelector('output');
  const button = form.querySelector('button');
  if (output === null || button === null) return;
  button.disabled = true;
  output.textContent = 'Sending …';
  try {
    output.replaceChildren(...(await answerOf(form)));
  } catch {
    output.textContent = 'No answer: the service cannot be reached.';
  }
  button.disabled = false;
}

/** The answer to the call, or what the reader has to do first. */
async function answerOf(form: HTMLFormElement): Promise<readonly Node[]> {
  const headers = new Headers();
  if (form.dataset.needsToken !== undefined) {
    const given = accessFields[0]?.value.trim() ?? '';
    if (given === '') return [document.createTextNode('Enter your access key or a token first, above.')];
    if (ACCESS_KEY.test(given) && token === null) {
      const refused = await authenticate(given);
      if (refused !== null) return refused;
    }
    headers.set('Authorization', `Bearer ${token ?? given}`);
  }
  for (const { name, value, dataset } of inputs(form))
    if (dataset.in === 'header' && value !== '') headers.set(name, value);
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const { answer, nodes } = await request(pathOf(form), {
    method: form.dataset.try ?? 'GET',
    headers,
    ...(body !== undefined && { body }),
  });
  // The token has expired, or the access key was replaced.
  if (answer.status === 401) token = null;
  return nodes;
}

/** Gets a token for the access key. Returns the answer if it is refused. */
async function authenticate(accessKey: string): Promise<readonly Node[] | null> {
  const { answer, text, nodes } = await request('/authenticate', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ access_key: accessKey }),
  });
  if (!answer.ok) return [document.createTextNode('No token: POST /authenticate answered'), ...nodes];
  token = (JSON.parse(text) as { readonly token: string }).token;
  return null;
}

interface Answered {
  readonly answer: Response;
  readonly text: string;
  /** The answer as it is shown. */
  readonly nodes: readonly Node[];
}

async function request(path: string, init: RequestInit): Promise<Answered> {
  const start = performance.now();
  const answer = await fetch(`${base}/api/v2${path}`, { ...init, redirect: 'manual' });
  const text = await answer.text();
  const milliseconds = Math.round(performance.now() - start);
  const status = document.createElement('p');
  status.append(`${answer.status} ${answer.statusText}`.trim(), ` in ${milliseconds} ms`);
  for (const name of shownHeaders) {
    const value = answer.headers.get(name);
    if (value !== null) status.append(document.createElement('br'), `${name}: ${value}`);
  }
  return { answer, text, nodes: text === '' ? [status] : [status, shownBody(text)] };
}

function shownBody(text: string): Node {
  const body = document.createElement('pre');
  body.tabIndex = 0;
  const shown = indented(text);
  const code = document.createElement('code');
  code.textContent = shown.length > MAX_SHOWN_CHARACTERS ? `${shown.slice(0, MAX_SHOWN_CHARACTERS)}…` : shown;
  body.append(code);
  return body;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function pathOf(form: HTMLFormElement): string {
  let path = form.dataset.path ?? '';
  const query = new URLSearchParams();
  for (const { name, value, dataset } of inputs(form)) {
    if (dataset.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.in === 'query' && value !== '')
      for (const part of name.endsWith('[]') ? value.split(',') : [value]) query.append(name, part.trim());
  }
  return `${path}${query.size === 0 ? '' : `?${query}`}`;
}

function inputs(form: HTMLFormElement): readonly (HTMLInputElement | HTMLSelectElement)[] {
  return [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-in]')];
}
