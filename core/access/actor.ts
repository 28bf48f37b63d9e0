import { isStorable } from '../values/text.js';
import type { Actor, AuditAction, NewAuditEntry } from './ports.js';

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

/** The one entry that tells of an action. */
export function auditEntries(
  { by, at }: Acting & { readonly at: Date },
  done: { readonly organizationId: number; readonly action: AuditAction; readonly subject: string | null },
): readonly NewAuditEntry[] {
  const { organizationId, action, subject } = done;
  const short = subject === null ? null : shortText(subject);
  return [{ organizationId, at, actor: actorOf({ by }), action, subject: short }];
}

const LONGEST = 300;

/** The beginning of a text that is too long; null for what no database keeps as it is. */
function shortText(text: string): string | null {
  const short = text.slice(0, LONGEST).replace(/\p{Surrogate}$/u, '');
  return isStorable(short) ? short : null;
}
