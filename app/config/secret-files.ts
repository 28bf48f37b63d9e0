import { decodeText } from './decode-text.js';
import { refuse } from './invalid-value.js';
import { readSmallFile } from './read-small-file.js';

/** Larger than any secret. */
const MAX_BYTES = 64 * 1024;

/** The variable that names a file with the value, as container platforms mount secrets. */
export function fileVariableOf(name: string): string {
  return `${name}_FILE`;
}

/** Throws an `InvalidValue`, which never contains the content of the file. Null if neither variable is set. */
export function secretValue(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | null {
  const text = environment[name]?.trim() ?? '';
  const file = environment[fileVariableOf(name)]?.trim() ?? '';
  if (file === '') return text === '' ? null : text;
  if (text !== '') refuse(`${name} is set as well; only one of them can be`);
  return secretIn(file);
}

function secretIn(file: string): string {
  const text = decodeText(readSmallFile(file, MAX_BYTES, ', more than a secret')).trim();
  if (text === '') refuse(`${file} is empty`);
  if (/[\r\n]/.test(text)) refuse(`${file} has more than one line`);
  if (/[\0\uFFFD]/.test(text)) refuse(`${file} is not a text file`);
  return text;
}
