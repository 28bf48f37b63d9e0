import { isStorable } from '../values/text.js';
import type { Actor } from './ports.js';

/** What every request that changes something can say for the audit trail. */
export interface Acting {
  /** Who does it, and from where; left out: the program that embeds the core. */
  readonly by?: Actor | undefined;
}

/** Whom an entry names where nobody was named: an action is in the trail all the same. */
const embedder: Actor = { who: { kind: 'program' }, from: null };

/** The actor of a request, fit to be stored. */
export function actorOf({ by = embedder }: Acting): Actor {
  return { who: by.who, from: by.from === null ? null : shortText(by.from) };
}

const LONGEST = 300;

/** The beginning of a text that is too long; null for what no database keeps as it is. */
export function shortText(text: string): string | null {
  const short = text.slice(0, LONGEST).replace(/\p{Surrogate}$/u, '');
  return isStorable(short) ? short : null;
}
