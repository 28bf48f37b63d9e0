import { type Acting, checkActor } from '../../access/acting.js';
import type { Uses } from '../../deps.js';
import { refuseAny } from '../../values/problems.js';
import type { Member } from '../ports/members.js';
import type { AddMember } from './add-member.js';
import { idpIdKept, idpIdOutdated, idpIdProblem, idpIdTaken } from './idp-id.js';
import { type MemberUuid, memberOf, unknownMember } from './member-of.js';
import { storeIdpId } from './store-idp-id.js';

/** The request of `setIdpId`. */
export interface SetIdpId extends MemberUuid, Acting, Pick<AddMember, 'idpId'> {
  /** The id that the caller has seen; null: none. Refused if the member has another one by now. Left out: any. */
  readonly replaces?: string | null | undefined;
}

/**
 * Sets or removes the id under which the organization's identity provider knows a member. The one that the member
 * already has changes nothing.
 *
 * @throws `Refusal`: `member-not-found`; `invalid-request` if the `idpId` is malformed or belongs to another
 * member or a pending invitation, or is kept by the directory, or if the member has another one than `replaces`.
 */
export async function setIdpId(
  deps: Uses<typeof memberOf | typeof storeIdpId>,
  { idpId, replaces, by, ...request }: SetIdpId,
): Promise<Member> {
  checkActor(by);
  const member = await memberOf(deps, request);
  refuseAny([idpIdProblem(idpId)]);
  const changed = await storeIdpId(deps, { member, idpId, replaces, by });
  if (changed === 'not-a-member') throw unknownMember(deps);
  if (changed === 'kept-by-directory') throw idpIdKept();
  if (changed === 'outdated') throw idpIdOutdated((await memberOf(deps, request)).idpId);
  if (typeof changed === 'string') throw idpIdTaken(changed);
  return changed;
}
