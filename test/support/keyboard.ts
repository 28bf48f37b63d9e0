import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

/** More than the number of focusable elements on any page. */
const MAX_PRESSES = 120;

/** Moves the focus to an element with the Tab key only, like a person without a mouse. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const focused = target.and(page.locator(':focus'));
  for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
    if ((await focused.count()) === 1) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${target} cannot be reached by keyboard`);
}

/** Fills in a field by keyboard. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

/** Follows a link or presses a button by keyboard. */
export async function enter(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}
