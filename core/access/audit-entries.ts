import { type Acting, actorOf, shortText } from './acting.js';
import type { AuditAction, NewAuditEntry } from './ports/audit-trail.js';

/** The subject of an entry for a key or secret that was replaced; null: the old one stopped working at once. */
export function keptText(hours: number | null): string | null {
  if (hours === null || hours === 0) return null;
  return `the old one works for ${hours} ${hours === 1 ? 'hour' : 'hours'}`;
}

/** Builds the list of one entry for an action. */
export function auditEntries(
  { by, at }: Acting & { readonly at: Date },
  entry: { readonly organizationId: number; readonly action: AuditAction; readonly subject: string | null },
): readonly NewAuditEntry[] {
  const { organizationId, action, subject } = entry;
  const short = subject === null ? null : shortText(subject);
  return [{ organizationId, at, actor: actorOf({ by }), action, subject: short }];
}
