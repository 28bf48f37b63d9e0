import { accentClass, searchPattern } from '@rollcall/core/adapters';
import type { Engine } from '../engine/database.js';
import type { Condition, SqlText } from '../engine/sql-text.js';

/**
 * The condition that a text contains each word, in any case and with any accents. It takes any number of words as one
 * value, so that the statement is always the same.
 */
export function containsWords(engine: Engine, text: string, words: readonly string[]): Condition {
  if (words.length === 0) return false;
  const patterns = words.map((word) => searchPattern(word).source);
  if (engine === 'sqlite') return [`matches_all(${text}, ?)`, JSON.stringify(patterns)];
  // No pattern holds a space, as no word does.
  const condition = `${withoutAccents(text)} COLLATE "C" ~ ALL (string_to_array(?, ' '))`;
  return [condition, accentClass, patterns.join(' ')];
}

/** `sortKey` of a text, to sort by. */
export const sortKeyOf: Record<Engine, (text: string) => SqlText> = {
  sqlite: (text) => ({ text: `sort_key(${text})`, values: [] }),
  // With this collation, only A to Z have lower case.
  postgres: (text) => ({ text: `lower(${withoutAccents(text)} COLLATE "C")`, values: [accentClass] }),
};

/** For PostgreSQL. Normalizing takes most of the time, and ASCII does not need it. */
function withoutAccents(text: string): string {
  return `CASE WHEN octet_length(${text}) = char_length(${text}) THEN ${text}
      ELSE regexp_replace(normalize(${text}, NFD) COLLATE "C", ?, '', 'g') END`;
}
