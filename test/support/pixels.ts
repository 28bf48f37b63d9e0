import type { Locator, Page } from 'playwright-core';

/** Decodes a picture in the page. Policies for images do not apply to it. */
const DECODE = `async (png) => {
  const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, bitmap.width, bitmap.height);
}`;

const LUMINANCE = `(pixels, at) => {
  const linear = (value) => value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  const { data } = pixels;
  return 0.2126 * linear(data[at]) + 0.7152 * linear(data[at + 1]) + 0.0722 * linear(data[at + 2]);
}`;

/** Keeps a picture of the window, for `changedPixels`. */
export async function keepPicture(page: Page): Promise<void> {
  const png = (await page.screenshot({ animations: 'disabled' })).toString('base64');
  await page.evaluate(`(${DECODE})('${png}').then((picture) => { globalThis.kept = picture; })`);
}

/** The room for a focus ring. */
const MARGIN = 8;

/** The number of pixels in and around the element that have changed since `keepPicture` by a contrast of at least 3:1. */
export async function changedPixels(page: Page, element: Locator): Promise<number> {
  const box = (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const x = Math.max(0, Math.floor(box.x) - MARGIN);
  const y = Math.max(0, Math.floor(box.y) - MARGIN);
  const clip = { x, y, width: Math.ceil(box.width) + 2 * MARGIN, height: Math.ceil(box.height) + 2 * MARGIN };
  const png = (await page.screenshot({ animations: 'disabled', clip })).toString('base64');
  return page.evaluate<number>(`(${DECODE})('${png}').then((now) => {
    const luminance = ${LUMINANCE};
    let changed = 0;
    for (let row = 0; row < now.height; row += 1) {
      for (let column = 0; column < now.width; column += 1) {
        const after = luminance(now, 4 * (row * now.width + column));
        const before = luminance(kept, 4 * ((row + ${y}) * kept.width + column + ${x}));
        const [dark, light] = after < before ? [after, before] : [before, after];
        if ((light + 0.05) / (dark + 0.05) >= 3) changed += 1;
      }
    }
    return changed;
  })`);
}
