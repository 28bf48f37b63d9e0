import { type Acting, actorOf, shortText } from './actor.js';
import type { AuditAction, NewAuditEntry } from './ports.js';

/** The one entry about an action. */
export function auditEntries(
  { by, at }: Acting & { readonly at: Date },
  done: { readonly organizationId: number; readonly action: AuditAction; readonly subject: string | null },
): readonly NewAuditEntry[] {
  const { organizationId, action, subject } = done;
  const short = subject === null ? null : shortText(subject);
  return [{ organizationId, at, actor: actorOf({ by }), action, subject: short }];
}
