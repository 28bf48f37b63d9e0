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

/** The number of pixels in this part of the window whose contrast to the earlier ones is at least 3:1. */
const COUNT = `(before, after, { x, y, width, height }) => {
  const luminance = ${LUMINANCE};
  let changed = 0;
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const now = luminance(after.pixels, 4 * ((row + y - after.y) * after.pixels.width + column + x - after.x));
      const then = luminance(before.pixels, 4 * ((row + y) * before.pixels.width + column + x));
      const [dark, light] = now < then ? [now, then] : [then, now];
      if ((light + 0.05) / (dark + 0.05) >= 3) changed += 1;
    }
  }
  return changed;
}`;

/** Keeps a picture of the window, and the one before, for `changedPixels` and `differentPixels`. */
export async function keepPicture(page: Page): Promise<void> {
  const png = (await page.screenshot({ animations: 'disabled' })).toString('base64');
  await page.evaluate(`(${DECODE})('${png}').then((pixels) => {
    globalThis.earlier = globalThis.kept;
    globalThis.kept = { pixels, x: 0, y: 0 };
  })`);
}

/** The room for a focus ring. */
const MARGIN = 8;

/** The number of pixels in and around the element that have changed since `keepPicture`. */
export async function changedPixels(page: Page, element: Locator): Promise<number> {
  const clip = await partOf(element, MARGIN);
  const png = (await page.screenshot({ animations: 'disabled', clip })).toString('base64');
  return page.evaluate<number>(`(${DECODE})('${png}')
    .then((pixels) => (${COUNT})(kept, { pixels, x: ${clip.x}, y: ${clip.y} }, ${JSON.stringify(clip)}))`);
}

/** The number of pixels of the element that differ between the last two kept pictures. */
export async function differentPixels(page: Page, element: Locator): Promise<number> {
  return page.evaluate<number>(`(${COUNT})(earlier, kept, ${JSON.stringify(await partOf(element, 0))})`);
}

async function partOf(element: Locator, margin: number) {
  const box = (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const x = Math.max(0, Math.floor(box.x) - margin);
  const y = Math.max(0, Math.floor(box.y) - margin);
  const width = Math.ceil(box.x + box.width) + margin - x;
  const height = Math.ceil(box.y + box.height) + margin - y;
  return { x, y, width, height };
}
