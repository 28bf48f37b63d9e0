import type { Engine } from '../engine/database.js';
import type { Condition } from '../engine/sql-text.js';
import { containsWords } from './people-search.js';

/** The condition that the searched text of a meeting (`searchedText` of the core) contains each word. */
export function foundMeetings(engine: Engine, words: readonly string[] = []): Condition {
  return containsWords(engine, `(meetings.name || ' ' || meetings.topic || ' ' || meetings.host)`, words);
}
