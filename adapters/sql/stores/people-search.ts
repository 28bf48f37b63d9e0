import { accentClass, searchPattern, withoutAccents } from '@rollcall/core/adapters';
import type { Engine } from '../engine/database.js';
import type { Condition, SqlText } from '../engine/sql-text.js';

/** What a search for members looks in, of the tables `users` and `memberships`. */
const searched =
  "users.first_name || ' ' || users.last_name || ' ' || users.email || ' ' || coalesce(memberships.idp_id, '')";

/** The condition that a member is found by each word. */
export function foundMember(engine: Engine, words: readonly string[]): Condition {
  return containsWords(engine, searched, words);
}

/**
 * The condition that a text contains each word, in any case and with any accents. It takes any number of words as one
 * value, so that the statement is always the same.
 */
export function containsWords(engine: Engine, text: string, words: readonly string[]): Condition {
  if (words.length === 0) return false;
  const patterns = words.map((word) => searchPattern(word).source);
  if (engine === 'sqlite') return containsOnSqlite(text, words.map(withoutAccents), patterns);
  // No pattern holds a space, as no word does.
  const condition = `${plainText(text)} COLLATE "C" ~ ALL (string_to_array(?, ' '))`;
  return [condition, accentClass, patterns.join(' ')];
}

/** Calling a function of ours takes as long as reading the row. ASCII does not need it, where `LIKE` ignores case too. */
function containsOnSqlite(text: string, words: readonly string[], patterns: readonly string[]): Condition {
  const inAnyCase = `matches_all(${text}, ?)`;
  const all = JSON.stringify(patterns);
  if (words.some((word) => /\P{ASCII}/u.test(word))) return [inAnyCase, all];
  const inAscii = words.map(() => `${text} LIKE ? ESCAPE '\\'`).join(' AND ');
  const isAscii = `octet_length(${text}) = length(${text})`;
  const parts = words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  return [`CASE WHEN ${isAscii} THEN ${inAscii} ELSE ${inAnyCase} END`, ...parts, all];
}

/** `sortKey` of a text, to sort by. */
export const sortKeyOf: Record<Engine, (text: string) => SqlText> = {
  sqlite: (text) => ({ text: `sort_key(${text})`, values: [] }),
  // With this collation, only A to Z have lower case.
  postgres: (text) => ({ text: `lower(${plainText(text)} COLLATE "C")`, values: [accentClass] }),
};

/** For PostgreSQL. Normalizing takes most of the time, and ASCII does not need it. */
function plainText(text: string): string {
  return `CASE WHEN octet_length(${text}) = char_length(${text}) THEN ${text}
      ELSE regexp_replace(normalize(${text}, NFD) COLLATE "C", ?, '', 'g') END`;
}
