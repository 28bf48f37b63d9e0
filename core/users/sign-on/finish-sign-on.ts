import type { Uses } from '../../deps.js';
import { registerMember } from '../members/register-member.js';
import type { IdentityKey } from '../ports/identities.js';
import type { ProviderIdentity } from '../ports/identity-provider.js';
import type { Member, NotRegistered } from '../ports/members.js';
import type { SignOn } from '../ports/sign-ons.js';
import type { SignIn } from '../sessions/check-password.js';
import type { CreatedSession } from '../sessions/create-session.js';
import type { Person } from '../user.js';
import { admissionOf } from './admission.js';
import { identify, type Returned } from './identify.js';
import { linkIdentity } from './link-identity.js';
import { recordFailure } from './record-failure.js';
import { isFailure, notAdmitted, refusalOf, signOnEnded, signOnOf } from './sign-on.js';
import { startBoundSession } from './start-bound-session.js';

/** The request of `finishSignOn`. */
export interface FinishSignOn extends Returned, Pick<SignIn, 'device'> {}

/**
 * What `confirmSignOn` needs. Keep it where only the person's browser can return it unchanged, for ten minutes: it says
 * that the identity provider has identified the person.
 */
export interface SignOnConfirmation extends IdentityKey {
  /** The member who the person has to be. */
  readonly userId: number;
  /** The id at the provider, for a member who has none; null: none. */
  readonly idpId: string | null;
  /** The session at the provider; null: not known. */
  readonly sid: string | null;
  /** Names this confirmation, which ends once. */
  readonly state: string;
  /** When the sign-on began, in milliseconds since 1970: it ends with `signOnLifetimeMs`. */
  readonly startedAt: number;
  /** The code that `mailSignOnCode` has mailed to the member; null: none. */
  readonly code: string | null;
  /** Whether `proveSignOn` has found the password or the code right. */
  readonly isProved: boolean;
}

/** A session, or what the person has to confirm first. */
export type FinishedSignOn =
  | { readonly kind: 'signed-in'; readonly session: CreatedSession }
  | { readonly kind: 'confirm'; readonly member: Member; readonly confirmation: SignOnConfirmation };

/** Retries when another caller links or registers the person at the same time. */
const MAX_ROUNDS = 5;

/**
 * Signs in a person whom the organization's identity provider has identified. The session is limited to the organization,
 * where it has the full role of the member. In this order: a known identity is that of its member. A member without a
 * further role whom the organization knows by the id at its provider, or whom its directory knows by the name or the
 * address, is linked. Another member, by that id or the address,
 * has to confirm with `confirmSignOn`. Where anyone is admitted, someone whose address has no account becomes a member,
 * with one event; only sign-on opens that membership. Everyone else is refused, with one text.
 *
 * @throws `Refusal`: `sign-on-off`; `sign-on-ended`; `sign-on-refused`, `sign-on-failed`, `sign-on-unreachable`;
 * `sign-on-not-admitted`. `Error` if `links.signOn` is not set.
 */
export async function finishSignOn(
  deps: Uses<'securityLog.record' | 'signOns.of' | typeof finish | typeof identify>,
  request: FinishSignOn,
): Promise<FinishedSignOn> {
  const { organizationId, started, address } = request;
  const signOn = await signOnOf(deps, organizationId);
  if (started.triedBy !== null) throw signOnEnded();
  const identity = await identify(deps, signOn, request);
  if (isFailure(identity)) {
    const { failure: outcome, reason } = identity;
    recordFailure(deps, { organizationId, outcome, reason, address });
    throw refusalOf(identity);
  }
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const finished = await finish(deps, { ...request, signOn, identity });
    if (finished !== 'changed-meanwhile') return finished;
  }
  throw new Error('Identities and Members do not agree on who the person is');
}

interface Identified extends FinishSignOn {
  readonly signOn: SignOn;
  readonly identity: ProviderIdentity;
}

async function finish(
  deps: Uses<
    | 'securityLog.record'
    | typeof admissionOf
    | typeof linkIdentity
    | typeof registered
    | typeof startBoundSession
  >,
  request: Identified,
): Promise<FinishedSignOn | 'changed-meanwhile'> {
  const { signOn, identity, address, device } = request;
  const { organizationId } = signOn;
  const { issuer, subject, sid } = identity;
  const key = { organizationId, issuer, subject };
  const admission = await admissionOf(deps, signOn, identity);
  if (admission.kind === 'refuse') {
    recordFailure(deps, { organizationId, outcome: 'not-admitted', reason: admission.reason, address });
    throw notAdmitted();
  }
  if (admission.kind === 'confirm') {
    const { member, idpId } = admission;
    const { state, startedAt } = request.started;
    const unproved = { state, startedAt, code: null, isProved: false };
    return {
      kind: 'confirm',
      member,
      confirmation: { ...key, userId: member.user.id, idpId, sid, ...unproved },
    };
  }
  const member =
    admission.kind === 'register' ? await registered(deps, request, admission) : admission.member;
  if (member === 'changed-meanwhile') return member;
  if (admission.kind !== 'known') {
    const linked = await linkIdentity(deps, { identity: key, member, address });
    if (linked === 'sign-on-off') throw notAdmitted();
    if (typeof linked === 'string') return 'changed-meanwhile';
  }
  const session = await startBoundSession(deps, { member, identity: key, sid, address, device });
  return { kind: 'signed-in', session };
}

/** Makes the person a member. An account that was made meanwhile is not used. */
async function registered(
  deps: Uses<
    'clock.now' | 'ids.uuid' | 'invitations.revokeExpired' | 'securityLog.record' | typeof registerMember
  >,
  { signOn: { organizationId }, address }: Identified,
  { person, idpId }: { readonly person: Person; readonly idpId: string },
): Promise<Member | 'changed-meanwhile'> {
  const at = deps.clock.now();
  await deps.invitations.revokeExpired({ organizationId, at });
  const member = await registerMember(deps, {
    ...{ organizationId, role: 'member', idpId, uuid: null, invitationId: null, needsSignOn: true },
    user: { ...person, uuid: deps.ids.uuid(), passwordHash: null, createdAt: at },
  });
  if (typeof member === 'object') return member;
  if (changedMeanwhile.includes(member)) return 'changed-meanwhile';
  const reason = `the person cannot become a member: ${member}`;
  recordFailure(deps, { organizationId, outcome: 'not-admitted', reason, address });
  throw notAdmitted();
}

const changedMeanwhile: readonly NotRegistered[] = ['account-exists', 'already-member', 'idp-id-of-member'];
