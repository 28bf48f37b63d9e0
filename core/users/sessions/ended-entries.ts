import { auditEntries } from '../../access/audit-entries.js';
import type { NewAuditEntry } from '../../access/ports/audit-trail.js';
import { readAddress } from '../../values/address.js';
import type { StoredSession } from '../ports/sessions.js';
import type { User } from '../user.js';
import { sessionEndsInMs } from './session.js';

/** The entries for sessions that their user has ended: one for each that a login link started, unless it had expired. */
export function endedEntries(
  ended: readonly StoredSession[],
  { user, address, at }: { readonly user: User; readonly address: string | undefined; readonly at: Date },
): readonly NewAuditEntry[] {
  const by = { who: { kind: 'user', userId: user.id }, from: readAddress(address ?? '') } as const;
  return ended
    .filter((session) => sessionEndsInMs(session, at) > 0)
    .flatMap(({ boundTo: organizationId }) =>
      organizationId === null
        ? []
        : auditEntries(
            { by, at },
            { organizationId, action: 'session-ended', subject: user.email, aboutUserId: user.id },
          ),
    );
}
