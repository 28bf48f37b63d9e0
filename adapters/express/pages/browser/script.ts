/** Conveniences in the browser. Everything works without them. */

/** The time in which screen readers notice an element before its text changes. */
const ANNOUNCEMENT_DELAY_MS = 200;
/** The warning before the sign-out comes this long before it. */
const WARNING_MS = 120_000;
const BY_PASSWORD = 'To stay for longer, enter your password within 2 minutes, in a new tab.';
const OTHERWISE = 'You will be signed out in less than 2 minutes.';
const BY_LINK = `${OTHERWISE} Then open a new login link.`;
const SETUP_ENDS = 'These pages close in less than 2 minutes. Save, then open the set-up link again.';
const SETUP_HAS_ENDED = 'These pages are closed. Open the set-up link again in another tab, then save.';
const BY_SIGN_ON = `${OTHERWISE} Then sign in again.`;
const KEYS = [
  ['/', 'Go to the search field'],
  ['?', 'Show these keys'],
  ['Esc', 'Close a menu, or this list'],
];
/** Where the browser remembers that the reader has turned the keys off. */
const KEYS_OFF = 'keys-off';

keepTimeZone();
addEventListener('pagehide', forgetShownOnce);
offerCopies(document);
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-busy]')) sendOnce(button);
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-live-form]')) updateLive(form);
for (const box of document.querySelectorAll<HTMLInputElement>('input[data-check-all]')) checkAll(box);
for (const part of document.querySelectorAll<HTMLElement>('[data-reload-at]')) reloadAt(part);
for (const part of document.querySelectorAll<HTMLElement>('[data-reload-after]')) reloadAfter(part);
for (const field of document.querySelectorAll<HTMLInputElement>('input[type=password]')) offerShowing(field);
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-passkey]'))
  offerPasskey(button);
closeMenus();
offerKeys();
warnBeforeSignOut();
readNotices();
focusProblem();

/** Menus close when the reader presses Escape, or clicks or goes elsewhere. */
function closeMenus(): void {
  const menus = document.querySelectorAll<HTMLDetailsElement>('details.menu');
  const closeOthers = ({ target }: Event): void => {
    for (const menu of menus) if (!menu.contains(target as Node)) menu.open = false;
  };
  document.addEventListener('click', closeOthers);
  document.addEventListener('focusin', closeOthers);
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const menu of menus) {
      if (menu.open) menu.querySelector('summary')?.focus();
      menu.open = false;
    }
  });
}

/** `/` leads to the search field, and `?` lists the keys. A reader whose speech or hands press them by mistake turns them off. */
function offerKeys(): void {
  const dialog = keysDialog();
  document.body.append(dialog);
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-keys]')) {
    button.hidden = false;
    button.addEventListener('click', () => dialog.showModal());
  }
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    const isTyping =
      target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
    if (isTyping || ctrlKey || metaKey || altKey || localStorage.getItem(KEYS_OFF) !== null) return;
    const search = document.querySelector<HTMLInputElement>('main search input:not([type=hidden])');
    if (key === '?') dialog.showModal();
    else if (key === '/' && search !== null) search.select();
    else return;
    event.preventDefault();
  });
}

function keysDialog(): HTMLDialogElement {
  const dialog = document.createElement('dialog');
  dialog.className = 'keys card';
  dialog.setAttribute('aria-labelledby', 'keys');
  const rows = KEYS.map(([key, does]) => `<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`).join('');
  dialog.innerHTML = `<h2 id="keys">Keyboard shortcuts</h2><dl>${rows}</dl><form method="dialog">
    <label><input type="checkbox"> Use <kbd>/</kbd> and <kbd>?</kbd></label>
    <button class="button secondary">Close</button></form>`;
  const box = dialog.querySelector('input');
  if (box !== null) {
    box.checked = localStorage.getItem(KEYS_OFF) === null;
    box.addEventListener('change', () => {
      if (box.checked) localStorage.removeItem(KEYS_OFF);
      else localStorage.setItem(KEYS_OFF, 'yes');
    });
  }
  return dialog;
}

/**
 * Browsers may keep a page for "back" regardless of its headers. Secrets that are shown once are removed from it, and
 * the page is loaded again if the reader comes back.
 */
function forgetShownOnce(): void {
  const secrets = document.querySelectorAll('[data-once]');
  if (secrets.length === 0) return;
  for (const secret of secrets) secret.remove();
  addEventListener('pageshow', () => location.reload());
}

/** Sends the reader's zone to the server. A page that shows times in another zone is reloaded. */
function keepTimeZone(): void {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone === undefined || document.cookie.split('; ').includes(`time_zone=${zone}`)) return;
  const secure = location.protocol === 'https:' ? '; secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser.
  document.cookie = `time_zone=${zone}; path=/; max-age=31536000; samesite=lax${secure}`;
  const shown = document.documentElement.dataset.timeZone;
  const isKept = document.cookie.split('; ').includes(`time_zone=${zone}`);
  if (isKept && shown !== undefined && shown !== zone) location.reload();
}

/** How long the reader must have changed nothing before the result is requested. */
const LIVE_DELAY_MS = 300;

/** Updates the result while the reader changes a GET form, and keeps the address in step. */
function updateLive(form: HTMLFormElement): void {
  let delay = 0;
  let running = new AbortController();
  form.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement) disableUnneeded(form, target);
    clearTimeout(delay);
    delay = window.setTimeout(async () => {
      running.abort();
      running = new AbortController();
      const { signal } = running;
      const url = new URL(form.action);
      url.hash = '';
      for (const [name, value] of new FormData(form)) url.searchParams.append(name, String(value));
      const isComplete = !lacksNeeded(form);
      const page = isComplete ? await readPage(url, signal) : null;
      if (signal.aborted) return;
      for (const part of document.querySelectorAll<HTMLElement>('[data-live]')) {
        const incomplete = isComplete ? '' : (part.dataset.incomplete ?? '');
        part.replaceChildren(...(page?.getElementById(part.id)?.childNodes ?? [incomplete]));
        offerCopies(part);
      }
      // With the address of an incomplete form, sending it would only scroll, and not say what it lacks.
      if (isComplete) history.replaceState(history.state, '', url);
    }, LIVE_DELAY_MS);
  });
}

/** Fields that only one choice needs are neither shown nor sent with another. */
function disableUnneeded(form: HTMLFormElement, { name, value }: HTMLSelectElement): void {
  for (const fields of form.querySelectorAll<HTMLFieldSetElement>('fieldset[data-needed-for]')) {
    const [choice, needed] = fields.dataset.neededFor?.split('=') ?? [];
    if (choice === name) fields.disabled = value !== needed;
  }
}

/** Whether a field that the reader's choice needs is empty. Then there is nothing to ask the server yet. */
function lacksNeeded(form: HTMLFormElement): boolean {
  return [...form.querySelectorAll<HTMLFieldSetElement>('fieldset[data-needed-for]')].some((fields) => {
    const [choice = '', needed] = fields.dataset.neededFor?.split('=') ?? [];
    if (new FormData(form).get(choice) !== needed) return false;
    return [...fields.querySelectorAll('input')].some(({ value }) => value === '');
  });
}

/** Null if the server cannot be reached. */
async function readPage(url: URL, signal: AbortSignal): Promise<Document | null> {
  try {
    const answer = await fetch(url, { headers: { Accept: 'text/html' }, signal });
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  } catch {
    return null;
  }
}

function offerCopies(part: ParentNode): void {
  for (const button of part.querySelectorAll<HTMLButtonElement>('button[data-copy]')) offerCopy(button);
}

/**
 * Loads the page again after some milliseconds, to show what has come of something under way; not if the reader does
 * anything meanwhile, which would be lost.
 */
function reloadAfter({ dataset: { reloadAfter } }: HTMLElement): void {
  const timer = setTimeout(() => location.reload(), Number(reloadAfter));
  for (const act of ['input', 'keydown', 'pointerdown']) addEventListener(act, () => clearTimeout(timer));
}

/** Loads the page again when a part of it becomes outdated, if that is today. */
function reloadAt({ dataset: { reloadAt } }: HTMLElement): void {
  const delay = Date.parse(reloadAt ?? '') - Date.now();
  if (delay > 0 && delay < 24 * 60 * 60 * 1000) setTimeout(() => location.reload(), delay);
}

/** Adds a button that shows a password while it is typed. Browsers keep what was typed into fields of another kind. */
function offerShowing(field: HTMLInputElement): void {
  const [label] = field.labels ?? [];
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button quiet small show-password';
  if (label !== undefined) {
    label.id = `${field.id}-label`;
    button.setAttribute('aria-describedby', label.id);
  }
  const show = (isShown: boolean): void => {
    field.type = isShown ? 'text' : 'password';
    button.textContent = isShown ? 'Hide' : 'Show';
  };
  button.addEventListener('click', () => show(field.type === 'password'));
  field.form?.addEventListener('submit', () => show(false));
  field.spellcheck = false;
  field.autocapitalize = 'none';
  show(false);
  field.after(button);
}

/** Shows a button that asks the browser for a passkey, and sends the form with the answer. */
function offerPasskey(button: HTMLButtonElement): void {
  const { passkey, options = '' } = button.dataset;
  const field = button.form?.elements.namedItem('passkey');
  const { PublicKeyCredential } = window;
  if (!(field instanceof HTMLInputElement) || PublicKeyCredential?.parseRequestOptionsFromJSON === undefined)
    return;
  const problem = document.createElement('p');
  problem.className = 'field-problem';
  problem.setAttribute('role', 'alert');
  button.after(problem);
  button.parentElement?.querySelector('[data-without-passkeys]')?.remove();
  button.hidden = false;
  button.addEventListener('click', async () => {
    problem.textContent = '';
    try {
      const question = JSON.parse(options);
      const answer =
        passkey === 'make'
          ? await navigator.credentials.create({
              publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(question),
            })
          : await navigator.credentials.get({
              publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(question),
            });
      if (!(answer instanceof PublicKeyCredential)) return;
      field.value = JSON.stringify(answer.toJSON());
      field.form?.requestSubmit();
    } catch (error) {
      problem.textContent = passkeyProblem(error);
    }
  });
}

function passkeyProblem(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'InvalidStateError') return 'This device has a passkey here already.';
  if (name === 'SecurityError')
    return 'Passkeys do not work at this address. Ask the people who run this service.';
  return 'Nothing was sent: the passkey was not used. Try again.';
}

/** Shows a button that copies the text of an element to the clipboard. */
function offerCopy(button: HTMLButtonElement): void {
  const source = document.getElementById(button.dataset.copy ?? '');
  if (source === null || navigator.clipboard === undefined) return;
  const label = [...button.childNodes];
  const text = button.textContent ?? '';
  button.hidden = false;
  button.addEventListener('click', async () => {
    const copied = source instanceof HTMLInputElement ? source.value : (source.textContent ?? '');
    const done = await navigator.clipboard.writeText(copied).then(
      () => 'Copied',
      () => 'Not copied: select it',
    );
    button.textContent = done;
    announce(done + (button.getAttribute('aria-label') ?? '').slice(text.length));
    setTimeout(() => button.replaceChildren(...label), 3000);
  });
}

/** Shows a box that checks all others of its form, and follows them. */
function checkAll(all: HTMLInputElement): void {
  const named = `input[name="${all.dataset.checkAll}"]`;
  const boxes = [...(all.form?.querySelectorAll<HTMLInputElement>(named) ?? [])];
  const follow = (): void => {
    const checked = boxes.filter((box) => box.checked).length;
    all.checked = checked === boxes.length;
    all.indeterminate = checked > 0 && checked < boxes.length;
  };
  all.closest('label')?.removeAttribute('hidden');
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
  });
  for (const box of boxes) box.addEventListener('change', follow);
  // A page that the browser kept comes back with the boxes that were checked.
  window.addEventListener('pageshow', follow);
}

/** Shows that the form is being sent, and sends it once even if the button is pressed again. */
function sendOnce(button: HTMLButtonElement): void {
  const label = [...button.childNodes];
  let isSent = false;
  button.form?.addEventListener('submit', (event) => {
    if (isSent) return event.preventDefault();
    isSent = true;
    button.textContent = button.dataset.busy ?? '';
  });
  // A page that the browser kept comes back with its old label.
  window.addEventListener('pageshow', () => {
    isSent = false;
    button.replaceChildren(...label);
  });
}

/** Two minutes before the session ends, offers to stay signed in. Pages in other tabs prolong it, too. */
function warnBeforeSignOut(): void {
  const { sessionEndsIn, sessionStartedBy, basePath = '' } = document.documentElement.dataset;
  if (sessionEndsIn === undefined) return;
  const hasPassword = sessionStartedBy === undefined;
  const later = hasPassword ? BY_PASSWORD : sessionStartedBy === 'sign-on' ? BY_SIGN_ON : BY_LINK;
  const banner = document.createElement('div');
  banner.className = 'session-end';
  const text = document.createElement('p');
  text.setAttribute('role', 'alert');
  const button = document.createElement('button');
  button.className = 'button secondary small';
  banner.append(text, button);

  const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`session${basePath}`);
  let endsAt = 0;
  // 12 hours after the sign-in, only the password prolongs the session.
  let needsPassword = false;
  let lastField = document.querySelector<HTMLElement>('main');

  const show = (message: string, canProlong: boolean): void => {
    const isOffered = canProlong && (hasPassword || !needsPassword);
    if (!isOffered && document.activeElement === button) lastField?.focus();
    button.hidden = !isOffered;
    button.textContent = needsPassword ? 'Enter your password' : 'Stay signed in';
    if (message === '') banner.remove();
    else if (!banner.isConnected) document.body.prepend(banner);
    // Screen readers read an alert when its text changes.
    if (text.textContent !== message) text.textContent = message;
  };
  const check = (): void => {
    const left = endsAt - Date.now();
    if (left > WARNING_MS) needsPassword = false;
    if (left > WARNING_MS) show('', false);
    else if (sessionStartedBy === 'setup-link') show(left > 0 ? SETUP_ENDS : SETUP_HAS_ENDED, false);
    else if (left > 0 && needsPassword) show(`You have been signed in for 12 hours. ${later}`, true);
    else if (left > 0) show('You will be signed out in less than 2 minutes.', true);
    else
      show(
        'You are signed out. If you were filling in a form, send it and sign in: we keep what you typed.',
        false,
      );
  };
  const prolong = (milliseconds: number): void => {
    endsAt = Date.now() + milliseconds;
    check();
  };
  tabs?.addEventListener('message', ({ data }) => {
    if (data > endsAt) endsAt = data;
    check();
  });
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.matches('input, select, textarea')) lastField = target;
  });
  button.addEventListener('click', async () => {
    if (needsPassword) {
      window.open(`${basePath}/account/stay-signed-in`, '_blank');
      return;
    }
    try {
      const answer = await fetch(`${basePath}/session`, { redirect: 'manual' });
      // A session that has ended leads to the sign-in page.
      if (!answer.ok && answer.type !== 'opaqueredirect') throw new Error(String(answer.status));
      const milliseconds = Number(answer.headers.get('x-session-ends-in') ?? 0);
      needsPassword = milliseconds <= WARNING_MS;
      prolong(milliseconds);
      tabs?.postMessage(endsAt);
    } catch {
      show('We could not reach the service. Try again.', true);
    }
  });
  prolong(Number(sessionEndsIn));
  tabs?.postMessage(endsAt);
  setInterval(check, 5000);
  document.addEventListener('visibilitychange', check);
}

/** Screen readers read only what changes after a page has loaded, so the texts for them are put in again. */
function readNotices(): void {
  const notices = document.querySelectorAll('main [role="status"]');
  const readAgain = () =>
    setTimeout(() => {
      for (const notice of notices) notice.replaceChildren(...notice.childNodes);
    }, ANNOUNCEMENT_DELAY_MS);
  if (document.readyState === 'complete') readAgain();
  else window.addEventListener('load', readAgain);
}

/** Makes screen readers read a text, without moving the focus. */
function announce(text: string): void {
  const place = document.getElementById('announcement');
  if (place === null) return;
  // The same text twice is a change only if it was gone in between.
  place.textContent = '';
  setTimeout(() => {
    place.textContent = text;
  }, ANNOUNCEMENT_DELAY_MS);
}

/** Browsers ignore `autofocus` if the address has a fragment, such as that of the preview. */
function focusProblem(): void {
  if (location.hash !== '') document.querySelector<HTMLElement>('[autofocus]')?.focus();
}
