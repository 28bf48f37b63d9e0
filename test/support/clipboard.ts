import type { Page } from 'playwright-core';

/** Who has the clipboard: all windows of a browser share it. */
let turns: Promise<unknown> = Promise.resolve();

/** What the button of this name leaves on the clipboard; it is pressed with the mouse if nothing else is said. */
export function copied(
  page: Page,
  name: string,
  press: () => Promise<void> = () => page.getByRole('button', { name }).click(),
): Promise<string> {
  const turn = turns.then(async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press();
    await page.getByRole('button', { name }).filter({ hasText: 'Copied' }).waitFor();
    return page.evaluate<string>('navigator.clipboard.readText()');
  });
  turns = turn.catch(() => undefined);
  return turn;
}
