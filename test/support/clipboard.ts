import type { Page } from 'playwright-core';

/** All windows of a browser share the clipboard, so the tests use it one at a time. */
let queue: Promise<unknown> = Promise.resolve();

/** Presses the button with this name, by default with the mouse, and returns the text on the clipboard. */
export function copied(
  page: Page,
  name: string,
  press: () => Promise<void> = () => page.getByRole('button', { name }).click(),
): Promise<string> {
  const result = queue.then(async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press();
    await page.getByRole('button', { name }).filter({ hasText: 'Copied' }).waitFor();
    return page.evaluate<string>('navigator.clipboard.readText()');
  });
  queue = result.catch(() => undefined);
  return result;
}
