/** Sends the requests that a reader tries in the reference, and remembers the language of the samples. */

/** A longer answer is cut: a browser takes long to show it. */
const MAX_SHOWN_CHARACTERS = 100_000;
/** The headers of an answer that a program needs. */
const shownHeaders = ['X-Error-Code', 'Retry-After', 'Link', 'X-Request-Id'];

const token = document.querySelector<HTMLInputElement>('#try-token');
token?.closest('label')?.removeAttribute('hidden');
for (const part of document.querySelectorAll('details.try')) part.removeAttribute('hidden');
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-try]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
for (const choice of document.querySelectorAll<HTMLInputElement>('input[name="language"]'))
  choice.addEventListener('change', () => {
    const secure = location.protocol === 'https:' ? '; secure' : '';
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser.
    document.cookie = `sample_language=${choice.value}; path=/; max-age=31536000; samesite=lax${secure}`;
  });

async function send(form: HTMLFormElement): Promise<void> {
  const output = form.querySelector('output');
  const button = form.querySelector('button');
  if (output === null || button === null) return;
  if (form.dataset.needsToken !== undefined && token?.value === '') {
    output.textContent = 'This needs a token. Send “Get a token” first, or paste a token above.';
    return;
  }
  button.disabled = true;
  output.textContent = 'Sending …';
  try {
    const response = await fetch(addressOf(form), requestOf(form));
    const text = await response.text();
    if (form.dataset.operation === 'authenticate' && response.ok && token !== null)
      token.value = (JSON.parse(text) as { readonly token: string }).token;
    output.replaceChildren(...answerOf(response, text));
  } catch {
    output.textContent = 'No answer: the service cannot be reached.';
  }
  button.disabled = false;
}

function addressOf(form: HTMLFormElement): string {
  let path = form.dataset.path ?? '';
  const query = new URLSearchParams();
  for (const { name, value, dataset } of inputs(form)) {
    if (dataset.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.in === 'query' && value !== '')
      for (const part of name.endsWith('[]') ? value.split(',') : [value]) query.append(name, part.trim());
  }
  const base = document.documentElement.dataset.basePath ?? '';
  return `${base}/api/v2${path}${query.size === 0 ? '' : `?${query}`}`;
}

function requestOf(form: HTMLFormElement): RequestInit {
  const headers = new Headers();
  if (form.dataset.needsToken !== undefined) headers.set('Authorization', `Bearer ${token?.value ?? ''}`);
  for (const { name, value, dataset } of inputs(form))
    if (dataset.in === 'header' && value !== '') headers.set(name, value);
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  return {
    method: form.dataset.try ?? 'GET',
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  };
}

function inputs(form: HTMLFormElement): readonly HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>('input[data-in]')];
}

function answerOf(response: Response, text: string): readonly Node[] {
  const status = document.createElement('p');
  status.append(`${response.status} ${response.statusText}`.trim());
  for (const name of shownHeaders) {
    const value = response.headers.get(name);
    if (value !== null) status.append(document.createElement('br'), `${name}: ${value}`);
  }
  const body = document.createElement('pre');
  body.tabIndex = 0;
  const shown = indented(text);
  const code = document.createElement('code');
  code.textContent = shown.length > MAX_SHOWN_CHARACTERS ? `${shown.slice(0, MAX_SHOWN_CHARACTERS)}…` : shown;
  body.append(code);
  return text === '' ? [status] : [status, body];
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
