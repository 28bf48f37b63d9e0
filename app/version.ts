import { readFileSync } from 'node:fs';

/** The version of this product. */
export function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Where `npm run build` writes the revision. */
export const revisionFile: URL = new URL('./revision.txt', import.meta.url);

/** The first 12 digits of the commit that this product was built from, or `unknown`. */
export function revision(): string {
  try {
    return readFileSync(revisionFile, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
