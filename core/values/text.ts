import type { Field, Problem } from './problem.js';

/**
 * What is wrong with a short text of one line, or null. Text that passes comes
 * back equal from every database: it is well-formed and holds no control characters.
 */
export function textProblem(
  field: Field,
  text: unknown,
  { maxCharacters }: { readonly maxCharacters: number },
): Problem | null {
  if (typeof text !== 'string') return { field, code: 'wrong-type', message: 'must be a string' };
  if (text.trim() === '') return { field, code: 'empty', message: 'must not be empty' };
  if (text.length > maxCharacters)
    return { field, code: 'too-long', message: `must have at most ${maxCharacters} characters` };
  if (!isStorable(text) || /\p{Cc}/u.test(text))
    return { field, code: 'not-storable', message: 'must not contain control characters' };
  return null;
}

/** No NUL and no half of a surrogate pair: these are what a database refuses or changes. */
export function isStorable(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text);
}
