import { readFileSync } from 'node:fs';
import { type Brand, brandStyles } from './brand.js';

/** The source folder of the pages. Only TypeScript is compiled into `dist`: the styles stay beside what they style. */
const pages = new URL('../../../pages/', import.meta.url);

/** In the order of the cascade: styles of every page, then styles of single folders. */
const files = [
  'design/styles/tokens.css',
  'design/styles/base.css',
  'design/styles/frame.css',
  'design/styles/components.css',
  'design/styles/tables.css',
  'design/styles/fields.css',
  'design/styles/buttons.css',
  'meetings/meetings.css',
  'meetings/weeks.css',
  'organization/organization.css',
  'export/export.css',
  'invitations/invitations.css',
  'webhooks/webhooks.css',
  'docs/docs.css',
] as const;

/** The styles that follow Pico, with the colors of the brand, and with replacements for Pico's icons from `/assets`. */
export function readStylesheet(brand: Pick<Brand, 'color'>): string {
  return withoutComments([brandStyles(brand), ...files.map(readSource)].join('\n'));
}

/** Readers load the styles with each new version. */
function withoutComments(styles: string): string {
  return styles.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/\n\s*/g, '\n');
}

/** The path is relative to the folder of the pages. */
export function readSource(path: string): string {
  return readFileSync(new URL(path, pages), 'utf8');
}
