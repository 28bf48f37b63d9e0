import type { Field, Problem } from './problem.js';

interface TextRules {
  readonly maxCharacters: number;
}

/** Something that is neither white space nor invisible. */
const VISIBLE = /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
/**
 * Line and paragraph separators, and what changes the direction of the text around it. Joiners and marks of direction are
 * part of names in several scripts.
 */
const MISLEADING = /[\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * What is wrong with a name or another short text of one line, or null. Every database returns a text that passes unchanged:
 * it is well-formed and has no control characters. On a page it is visible, and changes nothing beside it.
 */
export function textProblem(field: Field, text: unknown, rules: TextRules): Problem | null {
  if (typeof text !== 'string') return { field, code: 'wrong-type', message: 'must be a string' };
  if (!VISIBLE.test(text)) return { field, code: 'empty', message: 'must not be empty' };
  const problem = wordsProblem(field, text, rules);
  if (problem !== null || !MISLEADING.test(text)) return problem;
  const message = 'must not contain line breaks or characters that change the direction of text';
  return { field, code: 'malformed', message };
}

/** What is wrong with words to search for, or null. They may be copied from names that were imported with anything. */
export function wordsProblem(field: Field, text: string, { maxCharacters }: TextRules): Problem | null {
  if (text.length > maxCharacters)
    return { field, code: 'too-long', message: `must have at most ${maxCharacters} characters` };
  if (!isStorable(text) || /\p{Cc}/u.test(text))
    return { field, code: 'not-storable', message: 'must not contain control characters' };
  return null;
}

/**
 * The text on one line and without marks that change the direction of what follows, for mails and terminals. Texts that
 * other systems are responsible for, and names that were stored before `textProblem`, may have any character.
 */
export function oneLine(text: string): string {
  return text
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\s*[\p{Cc}\p{Zl}\p{Zp}]\s*/gu, ' ')
    .trim();
}

/** The URL with percent-encoding where a character is invisible, or changes the direction of the text around it. */
export function visibleUrl(url: string): string {
  return url.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    encodeURIComponent(character),
  );
}

/** Whether the text has no NUL and no lone surrogate, which a database would refuse or change. */
export function isStorable(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text);
}
