import type { Field, Problem } from './problem.js';

/**
 * What is wrong with a short text of one line, or null. Every database returns a text that passes unchanged: it is
 * well-formed and has no control characters.
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

/** Whether the text has no NUL and no lone surrogate, which a database would refuse or change. */
export function isStorable(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text);
}
