import { accentClass, searchPattern, withoutAccents } from '@rollcall/core/adapters';
import type { Engine } from '../engine/database.js';
import { allOf, type Condition, raw, SQL, type SqlText } from '../engine/sql-text.js';

/** What a search for members looks in, of the tables `users` and `memberships`. */
const searched =
  "users.first_name || ' ' || users.last_name || ' ' || users.email || ' ' || coalesce(memberships.idp_id, '')";

/** The condition that a member is found by each word. */
export function foundMember(engine: Engine, words: readonly string[]): Condition {
  return containsWords(engine, searched, words);
}

/** The condition that the searched text of a meeting (`searchedText` of the core) contains each word. */
export function foundMeetings(engine: Engine, words: readonly string[] = []): Condition {
  return containsWords(engine, `(meetings.name || ' ' || meetings.topic || ' ' || meetings.host)`, words);
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
  return SQL`${plainText(text)} COLLATE "C" ~ ALL (string_to_array(${patterns.join(' ')}, ' '))`;
}

/** Calling a function of ours takes as long as reading the row. ASCII does not need it, where `LIKE` ignores case too. */
function containsOnSqlite(text: string, words: readonly string[], patterns: readonly string[]): Condition {
  const searched = raw(text);
  const inAnyCase = SQL`matches_all(${searched}, ${JSON.stringify(patterns)})`;
  if (words.some((word) => /\P{ASCII}/u.test(word))) return inAnyCase;
  const parts = words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  const inAscii = allOf(...parts.map((part) => SQL`${searched} LIKE ${part} ESCAPE '\\'`));
  return SQL`CASE WHEN octet_length(${searched}) = length(${searched}) THEN ${inAscii} ELSE ${inAnyCase} END`;
}

/** `sortKey` of a text, to sort by. */
export const sortKeyOf: Record<Engine, (text: string) => SqlText> = {
  sqlite: (text) => raw(`sort_key(${text})`),
  // With this collation, only A to Z have lower case.
  postgres: (text) => SQL`lower(${plainText(text)} COLLATE "C")`,
};

/** For PostgreSQL. Normalizing takes most of the time, and ASCII does not need it. */
function plainText(text: string): SqlText {
  const plain = raw(text);
  return SQL`CASE WHEN octet_length(${plain}) = char_length(${plain}) THEN ${plain}
      ELSE regexp_replace(normalize(${plain}, NFD) COLLATE "C", ${accentClass}, '', 'g') END`;
}
