import { type Acting, actorOf, shortText } from './acting.js';
import type { NewAuditEntry } from './ports/audit-trail.js';

/** The subject of an entry for a key or secret that was replaced; null: the old one stopped working at once. */
export function keptText(hours: number | null): string | null {
  if (hours === null || hours === 0) return null;
  return `the old one works for ${hours} ${hours === 1 ? 'hour' : 'hours'}`;
}

/** Builds the list of one entry for an action. */
export function auditEntries(
  { by, at }: Acting & { readonly at: Date },
  { subject, ...entry }: Omit<NewAuditEntry, 'at' | 'actor'>,
): readonly NewAuditEntry[] {
  return [{ ...entry, at, actor: actorOf({ by }), subject: subject === null ? null : shortText(subject) }];
}
