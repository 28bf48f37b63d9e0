import { resolve } from 'node:path';
import type { BrandLogo } from '@rollcall/express';
import { refuse } from './invalid-value.js';
import { readSmallFile } from './read-small-file.js';

export function hexColor(text: string): string {
  return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : refuse();
}

const MAX_LOGO_BYTES = 64 * 1024;

/** Reads the file at start, so that a mistake shows before the first page. */
export function logoFile(text: string): BrandLogo {
  const file = resolve(text);
  const body = readSmallFile(file, MAX_LOGO_BYTES);
  const type = imageType(body);
  return type === null ? refuse(`${file} is not an SVG, PNG, JPEG or WebP image`) : { type, body };
}

/** The first element of an SVG, after its declaration and comments. */
const SVG = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*|<!doctype[^>]*>\s*)*<svg[\s>]/is;

/** By content, because a wrong extension would show no logo. */
function imageType(body: Buffer): BrandLogo['type'] | null {
  if (body.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (body.subarray(0, 3).toString('hex') === 'ffd8ff') return 'image/jpeg';
  if (body.toString('latin1', 0, 4) === 'RIFF' && body.toString('latin1', 8, 12) === 'WEBP')
    return 'image/webp';
  return SVG.test(body.toString('utf8')) ? 'image/svg+xml' : null;
}
