import { readFileSync } from 'node:fs';

/** The source folder of the pages. Only TypeScript is compiled into `dist`: the styles stay beside what they style. */
const pages = new URL('../../../pages/', import.meta.url);

/** In the order of the cascade: what every page has, then what one folder has. */
const files = [
  'design/styles/base.css',
  'design/styles/parts.css',
  'design/styles/tables.css',
  'design/styles/fields.css',
  'meetings/meetings.css',
  'organization/organization.css',
  'export/export.css',
  'invitations/invitations.css',
  'webhooks/webhooks.css',
  'docs/docs.css',
] as const;

/** What we add to Pico, with the icons that it has lost, from `/assets`. */
export function readStylesheet(): string {
  return files.map(readStyles).join('\n');
}

/** What we add to Swagger UI, which stands without Pico and our own styles. */
export function readReferenceStyles(): string {
  return readStyles('docs/reference.css');
}

function readStyles(path: string): string {
  return readFileSync(new URL(path, pages), 'utf8');
}
