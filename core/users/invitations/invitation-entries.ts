import type { Acting } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { AuditAction, NewAuditEntry } from '../../access/ports/audit-trail.js';
import type { Invitation } from '../ports/invitations.js';

/**
 * The list of one entry for an action on an invitation, with what a renewal changed. Renewed, it is still found by its
 * `userUuid`.
 */
export function invitationEntries(
  acting: Acting & { readonly at: Date },
  action: AuditAction,
  { before, ...invitation }: Invitation & { readonly before?: Invitation },
): readonly NewAuditEntry[] {
  const { organizationId, email, userUuid: objectId } = invitation;
  const changes = before === undefined ? invitedAs(action, invitation) : changesOf(before, invitation);
  const subject = changes.length === 0 ? email : `${email}: ${changes.join(', ')}`;
  return auditEntries(acting, { organizationId, action, subject, objectId });
}

/** An entry without a role is about a member. */
function invitedAs(action: AuditAction, { role }: Pick<Invitation, 'role'>): readonly string[] {
  return action === 'user-invited' && role !== 'member' ? [role] : [];
}

function changesOf(before: Invitation, after: Invitation): readonly string[] {
  const texts = ({ firstName, lastName, idpId, role }: Invitation) => [
    `${firstName} ${lastName}`,
    idpId ?? 'no ID',
    role,
  ];
  const changed = texts(after);
  return texts(before).flatMap((from, index) =>
    from === changed[index] ? [] : `${from} → ${changed[index]}`,
  );
}
