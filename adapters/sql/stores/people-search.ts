import { accentClass, searchPattern } from '@rollcall/core/adapters';
import type { Engine, SqlValue } from '../engine/database.js';

/** A part of a statement, and the values of its parameters. */
export interface SqlPart {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * The condition that a text contains each word, in any case and with any accents. It takes any number of words as one
 * value, so that the statement is always the same.
 */
export const containsWords: Record<Engine, (text: string, words: readonly string[]) => SqlPart> = {
  sqlite: (text, words) => ({
    text: `matches_all(${text}, ?)`,
    values: [JSON.stringify(words.map((word) => searchPattern(word).source))],
  }),
  // No pattern holds a space, as no word does.
  postgres: (text, words) => ({
    text: `${withoutAccents(text)} COLLATE "C" ~ ALL (string_to_array(?, ' '))`,
    values: [accentClass, words.map((word) => searchPattern(word).source).join(' ')],
  }),
};

/** `sortKey` of a text, to sort by. */
export const sortKeyOf: Record<Engine, (text: string) => SqlPart> = {
  sqlite: (text) => ({ text: `sort_key(${text})`, values: [] }),
  // With this collation, only A to Z have lower case.
  postgres: (text) => ({ text: `lower(${withoutAccents(text)} COLLATE "C")`, values: [accentClass] }),
};

/** For PostgreSQL. Normalizing takes most of the time, and ASCII does not need it. */
function withoutAccents(text: string): string {
  return `CASE WHEN octet_length(${text}) = char_length(${text}) THEN ${text}
      ELSE regexp_replace(normalize(${text}, NFD) COLLATE "C", ?, '', 'g') END`;
}
