import { isStorable } from '@rollcall/core/adapters';

/** The longest subject that OpenID Connect allows. */
const MAX_CHARACTERS = 255;

export const tokenTextRule = `must be a text of 1 to ${MAX_CHARACTERS} characters, without NUL or lone surrogates`;

/** Whether a database stores the text of a token as it is: otherwise two subjects could become one. */
export function isTokenText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS && isStorable(value);
}
