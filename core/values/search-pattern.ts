/** The accents of Latin, Greek and Cyrillic letters, as a character class of both JavaScript and PostgreSQL. */
export const accentClass = '[\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]';

const accents = new RegExp(accentClass, 'gu');

/** The text in NFD without accents: `Tomás` becomes `Tomas`. Letters such as `ø` stay, see `searchPattern`. */
export function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(accents, '');
}

/** The text that a list is sorted by, in code point order: without accents, and with `A` to `Z` in lower case. */
export function sortKey(text: string): string {
  return withoutAccents(text).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Variants that neither case conversion nor `withoutAccents` finds. */
const otherForms: Readonly<Record<string, string>> = {
  ...{ σ: 'ς', ß: 'ẞ' },
  ...{ d: 'đð', đ: 'd', ð: 'd', h: 'ħ', ħ: 'h', i: 'ı', l: 'ł', ł: 'l', o: 'ø', ø: 'o', t: 'ŧ', ŧ: 't' },
};

/**
 * Returns a pattern that finds the word with any accents and in any case. Match it against `withoutAccents(text)`. Each
 * character becomes a class of its variants: `Ö1` becomes `[Ooø…][1]`. PostgreSQL reads the pattern's source as
 * JavaScript does, so a search finds the same in every storage.
 */
export function searchPattern(word: string): RegExp {
  const characters = [...withoutAccents(word)].map(
    (character) => `[${formsOf(character).replace(/[\\\]^-]/g, '\\$&')}]`,
  );
  return new RegExp(characters.join(''), 'u');
}

function formsOf(character: string): string {
  const forms = new Set([character]);
  // The loop also visits the forms that it adds.
  for (const form of forms) {
    for (const other of [form.toLowerCase(), form.toUpperCase()])
      if ([...other].length === 1) forms.add(other);
    for (const other of otherForms[form] ?? '') forms.add(other);
  }
  return [...forms].join('');
}
