import { isStorable } from '../values/text.js';
import type { Actor } from './ports.js';

/** What a request that changes something can tell the audit trail. */
export interface Acting {
  /** Who does it, and from where; left out: the program that embeds the core. */
  readonly by?: Actor | undefined;
}

/** The actor of an entry when the request names none. */
const embedder: Actor = { who: { kind: 'program' }, from: null };

/** The actor of a request, fit to be stored. */
export function actorOf({ by = embedder }: Acting): Actor {
  return { who: by.who, from: by.from === null ? null : shortText(by.from) };
}

const MAX_CHARACTERS = 300;

/** The text, cut to the maximum length; null if a database cannot store it unchanged. */
export function shortText(text: string): string | null {
  const short = text.slice(0, MAX_CHARACTERS).replace(/\p{Surrogate}$/u, '');
  return isStorable(short) ? short : null;
}
