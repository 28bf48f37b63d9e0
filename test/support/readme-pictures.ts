import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Role } from '@rollcall/core';
import { screenshots } from './look.js';

/**
 * A picture in the README: a page of the demo as people see it. Names in scripts that the machine has no font for
 * stay empty: the pictures are taken where there are fonts for all (Debian: fonts-noto).
 */
export interface ReadmePicture {
  /** Of the file in `.github`, without its ending. */
  readonly name: string;
  readonly role: Role;
  readonly path: string;
  /** What has to be there before it is taken. */
  readonly heading: string;
  /** Left out: the top of the page; else the heading that is at its top. */
  readonly from?: string;
}

/** In the order in which the README shows them. */
export const readmePictures: readonly ReadmePicture[] = [
  { name: 'organization', role: 'owner', path: '/organizations/1', heading: 'Northwind Wellness' },
  { name: 'webhooks', role: 'admin', path: '/organizations/1/webhooks', heading: 'Webhooks', from: 'Test' },
  { name: 'meetings', role: 'member', path: '/organizations/1/meetings', heading: 'Hello, Dana' },
];

/** Where the test of the pictures puts one. */
export function takenPicture({ name }: Pick<ReadmePicture, 'name'>): string {
  return join(screenshots, `readme-${name}.png`);
}

/** Where the README has them. */
export const shownPictures = fileURLToPath(new URL('../../../.github/', import.meta.url));

/** Puts what was taken where the README has it: `npm run pictures`. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const picture of readmePictures) {
    copyFileSync(takenPicture(picture), join(shownPictures, `${picture.name}.png`));
  }
}
