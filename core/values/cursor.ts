import { refusal } from '../errors.js';

/** The part of a row by which its list is ordered; the last value is unique in the list. */
export type CursorKey = readonly (string | number)[];

const MAX_CURSOR_CHARACTERS = 4_000;

/**
 * Writes the place in a list as a text that clients pass back unchanged. It holds the name of the list and nothing
 * secret.
 */
export function encodeCursor(list: string, key: CursorKey): string {
  const bytes = new TextEncoder().encode(JSON.stringify([list, ...key]));
  const binary = String.fromCharCode(...bytes);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Reads what `encodeCursor` wrote for the same list; undefined: there is no cursor. `read` returns the key, or null if
 * these values cannot be one.
 *
 * @throws `Refusal` `invalid-request` for any other text.
 */
export function decodeCursor<Key>(
  list: string,
  cursor: string | undefined,
  read: (values: readonly unknown[]) => Key | null,
): Key | undefined {
  if (cursor === undefined) return undefined;
  const [name, ...values] = valuesOf(cursor);
  const key = name === list ? read(values) : null;
  if (key === null || encodeCursor(list, values as CursorKey) !== cursor) throw unknownCursor();
  return key;
}

function valuesOf(cursor: string): readonly unknown[] {
  if (cursor.length > MAX_CURSOR_CHARACTERS) return [];
  try {
    const binary = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const values: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

const unknownCursor = refusal('invalid-request', [
  { field: 'after', code: 'malformed', message: 'must be the `next` of an earlier answer' },
]);
