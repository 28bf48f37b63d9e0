import { checkId } from '../values/ids.js';
import { isStorable } from '../values/text.js';
import type { Actor } from './ports/audit-trail.js';

/** The part of a request that the audit trail records. */
export interface Acting {
  /** Who acts, and from where; left out: the program that embeds the core. */
  readonly by?: Actor | undefined;
}

/** Throws a `TypeError` if the acting user has an id that no user can have. */
export function checkActor(by: Actor | undefined): void {
  if (by?.who.kind === 'user') checkId('by.who.userId', by.who.userId);
}

/** The actor of an entry when the request names none. */
const embedder: Actor = { who: { kind: 'program' }, from: null };

/** The actor of a request, with the address shortened so that every database can store it. */
export function actorOf({ by = embedder }: Acting): Actor {
  return { who: by.who, from: by.from === null ? null : shortText(by.from) };
}

const MAX_CHARACTERS = 300;

/** The text, cut to the maximum length; null if a database cannot store it unchanged. */
export function shortText(text: string): string | null {
  const short = text.slice(0, MAX_CHARACTERS).replace(/\p{Surrogate}$/u, '');
  return isStorable(short) ? short : null;
}
