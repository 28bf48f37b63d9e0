import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configurationTable } from '#app/config/documentation.js';

/** The documents with a generated table of the environment variables, between two comments. */
export const documents = [
  { path: 'README.md', isShort: true },
  { path: 'contracts/operating.md', isShort: false },
] as const;

const BEGIN = '<!-- configuration: generated -->\n';
const END = '<!-- configuration: end -->\n';

/** The text of the document, and the expected text with an up-to-date table. */
export function withTable({ path, isShort }: (typeof documents)[number]) {
  const file = fileURLToPath(new URL(`../../../${path}`, import.meta.url));
  const text = readFileSync(file, 'utf8');
  const [before, rest = ''] = text.split(BEGIN);
  const after = rest.slice(rest.indexOf(END));
  return { file, text, expected: `${before}${BEGIN}${configurationTable({ isShort })}${after}` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const document of documents) {
    const { file, expected } = withTable(document);
    writeFileSync(file, expected);
  }
}
