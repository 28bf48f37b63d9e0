/** What pages do beyond HTML, in the browser. Everything works without it, and it asks nobody for anything. */

keepTimeZone();
addEventListener('pagehide', forgetShownOnce);
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) offerCopy(button);
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-busy]')) sendOnce(button);

/** Browsers may keep a page for "back", whatever it says; what is shown once is not kept with it. */
function forgetShownOnce(): void {
  for (const secret of document.querySelectorAll('[data-once]')) secret.remove();
}

/** Tells the server the reader's zone; a page that shows times in another one is loaded once more. */
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

/** Shows a button that puts the text of the element it names onto the clipboard. */
function offerCopy(button: HTMLButtonElement): void {
  const source = document.getElementById(button.dataset.copy ?? '');
  if (source === null || navigator.clipboard === undefined) return;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = source instanceof HTMLInputElement ? source.value : (source.textContent ?? '');
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = label;
    }, 3000);
  });
}

/** Says that the form is on its way, and sends it once however often the button is pressed. */
function sendOnce(button: HTMLButtonElement): void {
  const label = button.textContent;
  button.form?.addEventListener('submit', (event) => {
    if (button.textContent === label) button.textContent = button.dataset.busy ?? label;
    else event.preventDefault();
  });
  // A page that the browser has kept comes back as it was left.
  window.addEventListener('pageshow', () => {
    button.textContent = label;
  });
}
