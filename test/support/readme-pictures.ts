import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Role } from '@rollcall/core';
import { screenshots } from './look.js';

/**
 * A picture in the README, which shows a page of the demo. Take the pictures on a machine with fonts for all scripts,
 * such as fonts-noto on Debian, or some names are blank.
 */
export interface ReadmePicture {
  /** The name of the file in `.github`, without its extension. */
  readonly name: string;
  readonly role: Role;
  readonly path: string;
  /** The heading that must be visible before the screenshot. */
  readonly heading: string;
  /** The heading at the top of the picture. The default is the top of the page. */
  readonly from?: string;
}

/** The pictures in the order of the README. */
export const readmePictures: readonly ReadmePicture[] = [
  { name: 'organization', role: 'owner', path: '/organizations/1', heading: 'Northwind Wellness' },
  { name: 'webhooks', role: 'admin', path: '/organizations/1/webhooks', heading: 'Webhooks' },
  { name: 'meetings', role: 'member', path: '/organizations/1/meetings', heading: 'Hello, Dana' },
];

/** The file of a picture that the test has taken. */
export function takenPicture({ name }: Pick<ReadmePicture, 'name'>): string {
  return join(screenshots, `readme-${name}.png`);
}

/** The folder of the pictures in the README. */
export const shownPictures = fileURLToPath(new URL('../../../.github/', import.meta.url));

// `npm run pictures` copies the screenshots to the folder of the README.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const picture of readmePictures) {
    copyFileSync(takenPicture(picture), join(shownPictures, `${picture.name}.png`));
  }
}
