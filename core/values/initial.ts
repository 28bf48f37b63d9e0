/** A letter, a digit or a picture, with its accents. Quotes, brackets and letter-like apostrophes are not what a name begins with. */
const BEGINNING = /[\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{N}\p{So}]\p{M}*/u;

/** The first letter of a name with its accents, in upper case. Null: the name has none, such as `–`. */
export function initialOf(name: string): string | null {
  const [letter] = BEGINNING.exec(name.normalize('NFC')) ?? [];
  // Some letters, such as `ß`, are two in upper case.
  return letter === undefined ? null : (BEGINNING.exec(letter.toUpperCase())?.[0] ?? letter);
}
