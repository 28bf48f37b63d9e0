import type { Uses } from '../../deps.js';
import type { IdentityKey } from '../ports/identities.js';
import type { Member } from '../ports/members.js';
import { type CreatedSession, createSession } from '../sessions/create-session.js';
import { recordSignedIn } from '../sessions/record-signed-in.js';
import { notAdmitted } from './sign-on.js';

/** Starts a session for a member whose identity is linked. It is limited to the organization. */
export async function startBoundSession(
  deps: Uses<'identities.touch' | 'securityLog.record' | typeof createSession>,
  {
    member,
    identity: { organizationId, issuer, subject },
    ...request
  }: {
    readonly member: Member;
    readonly identity: IdentityKey;
    readonly sid: string | null;
    readonly address: string;
    readonly device: string | undefined;
  },
): Promise<CreatedSession> {
  await deps.identities.touch({ organizationId, issuer, subject, at: deps.clock.now() });
  const created = await createSession(deps, {
    ...{ user: member.user, boundTo: organizationId, startedBy: 'sign-on', sid: request.sid },
    ...{ passwordHash: null, device: request.device, refusal: notAdmitted },
  });
  return recordSignedIn(deps, created, { by: 'sign-on', address: request.address });
}
