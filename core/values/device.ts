import { isStorable } from './text.js';

const MAX_CHARACTERS = 60;

/** The name of a browser and its system as it is stored: one line of at most 60 characters. Null for any other text. */
export function readDevice(text: string | undefined): string | null {
  const name = text?.trim() ?? '';
  if (name === '' || name.length > MAX_CHARACTERS) return null;
  return isStorable(name) && !/\p{Cc}/u.test(name) ? name : null;
}
