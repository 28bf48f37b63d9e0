import { normalizeEmail } from '../values/email.js';
import { refuseAny } from '../values/problems.js';
import { wordsProblem } from '../values/text.js';

const MAX_SEARCH_CHARACTERS = 300;
/** A search compares each word with every member. If the database runs in this process, all other requests wait. */
const MAX_WORDS = 10;

/** The different words of a search. Throws a `Refusal` if the search is too long or has too many words. */
export function searchWords(search: string): readonly string[] {
  const words = search
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(asStored);
  const distinct = [...new Set(words)];
  const tooMany =
    distinct.length > MAX_WORDS
      ? ({ field: 'search', code: 'too-many', message: `must have at most ${MAX_WORDS} words` } as const)
      : null;
  refuseAny([wordsProblem('search', words.join(' '), { maxCharacters: MAX_SEARCH_CHARACTERS }) ?? tooMany]);
  return distinct;
}

/** Addresses are stored with a readable host, and may be searched for as a browser or a mail program shows them. */
function asStored(word: string): string {
  return /(?:^|[@.])xn--|@.*\P{ASCII}/iu.test(word) ? normalizeEmail(word) : word;
}
