/**
 * What is wrong with a short text of one line, in words that name the field, or null. Text that passes comes
 * back equal from every database: it is well-formed and holds no control characters.
 */
export function textProblem(
  field: string,
  text: unknown,
  { maxCharacters }: { readonly maxCharacters: number },
): string | null {
  if (typeof text !== 'string') return `${field} must be a string`;
  if (text.trim() === '') return `${field} must not be empty`;
  if (text.length > maxCharacters) return `${field} must have at most ${maxCharacters} characters`;
  if (!isStorable(text) || /\p{Cc}/u.test(text)) return `${field} must not contain control characters`;
  return null;
}

/** No NUL and no half of a surrogate pair: these are what a database refuses or changes. */
export function isStorable(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text);
}
