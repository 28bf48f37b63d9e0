/**
 * One of the known texts, or any other text as it was received: the function that takes it refuses one that is not
 * known. Editors suggest the known texts.
 */
export type Unchecked<Known extends string> = Known | (string & {});

/**
 * Checks a text that the program itself chooses, such as a role that a page needs. A wrong one is a mistake in the
 * program: throws a `TypeError` that names the argument. A text from a request is refused instead.
 */
export function checkOneOf(argument: string, allowed: readonly string[], text: unknown): void {
  if (allowed.some((one) => one === text)) return;
  throw new TypeError(`${argument} must be one of ${allowed.join(', ')}`);
}
