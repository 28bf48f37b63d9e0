import { type Acting, actorOf, shortText } from './actor.js';
import type { AuditAction, NewAuditEntry } from './ports.js';

/** Builds the list of one entry for an action. */
export function auditEntries(
  { by, at }: Acting & { readonly at: Date },
  entry: { readonly organizationId: number; readonly action: AuditAction; readonly subject: string | null },
): readonly NewAuditEntry[] {
  const { organizationId, action, subject } = entry;
  const short = subject === null ? null : shortText(subject);
  return [{ organizationId, at, actor: actorOf({ by }), action, subject: short }];
}
