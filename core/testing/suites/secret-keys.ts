/** The keys that a started adapter works with; each is a text of at least 32 characters. */
export interface SecretKeys {
  /** Everything new is made under this one. */
  readonly current: string;
  /** What was made under these is still read; an adapter without rotation ignores them. */
  readonly previous: readonly string[];
}

export const oneKey: SecretKeys = { current: 'the first secret key of the suites, 32+', previous: [] };
export const anotherKey: SecretKeys = { current: 'another secret key of the suites, 32+', previous: [] };
/** `anotherKey`, after `oneKey` was rotated out. */
export const rotatedKeys: SecretKeys = { current: anotherKey.current, previous: [oneKey.current] };

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * The text with one character changed, for each of its characters but dots and the last one of each part: the last
 * character of base64 may hold bits that mean nothing.
 */
export function changedTexts(text: string): readonly string[] {
  return [...text].flatMap((character, at) => {
    const next = text[at + 1];
    if (character === '.' || next === '.' || next === undefined) return [];
    const changed = alphabet[(alphabet.indexOf(character) + 33) % alphabet.length] ?? 'x';
    return [`${text.slice(0, at)}${changed}${text.slice(at + 1)}`];
  });
}

/** The text in lower case and in upper case, where that is another text. */
export function otherCases(text: string): readonly string[] {
  return [text.toLowerCase(), text.toUpperCase()].filter((other) => other !== text);
}

/** The bits that texts of one length vary by, as far as these texts show: less than what was random in them. */
export function variedBits(texts: readonly string[]): number {
  const [first = ''] = texts;
  return [...first].reduce((bits, _, at) => bits + Math.log2(new Set(texts.map((text) => text[at])).size), 0);
}
