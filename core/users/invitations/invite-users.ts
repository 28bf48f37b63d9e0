import type { Acting } from '../../access/acting.js';
import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { Refusal, type RefusalCode } from '../../errors.js';
import type { Problem } from '../../values/problem.js';
import { refuseAny } from '../../values/problems.js';
import type { Person } from '../user.js';
import { maxInvitationLines } from './invitation.js';
import { type AsksForMail, type InvitedUser, type InviteUser, invite } from './invite.js';

/** The request of `inviteUsers`. */
export interface InviteUsers
  extends OfOrganization,
    Acting,
    AsksForMail,
    Pick<InviteUser, 'role' | 'expiresInDays'> {
  /** 1 to `maxInvitationLines` people. */
  readonly users: readonly InvitedPerson[];
}

/** A person to be invited, or the problems for which the caller has refused them already. */
export type InvitedPerson =
  | (Person & Pick<InviteUser, 'idpId' | 'expiresInDays'>)
  | { readonly problems: readonly Problem[] };

/** The result for one person. */
export interface InvitedEach {
  /** The person's index in the request, from 0. */
  readonly index: number;
  /** `existing`: the invitation was pending before. */
  readonly status: 'created' | 'existing' | 'error';
  /** Null: the person was not invited. */
  readonly user: InvitedUser | null;
  /** The code of the refusal; null: the person was invited. */
  readonly code: RefusalCode | null;
  /** Why the person was not invited; empty otherwise. */
  readonly problems: readonly Problem[];
}

/**
 * Invites each person as `inviteUser` does, and returns a result for each, in order. A person who cannot be invited stops
 * no other.
 *
 * @throws `Refusal`: `invalid-request` if there is nobody or there are more than `maxInvitationLines`;
 * `organization-not-found`. Problems of a person are in their result.
 */
export async function inviteUsers(
  deps: Uses<typeof invite>,
  { users, ...request }: InviteUsers,
): Promise<readonly InvitedEach[]> {
  refuseAny([countProblem(users.length)]);
  const results: InvitedEach[] = [];
  for (const [index, user] of users.entries()) {
    try {
      if ('problems' in user) throw new Refusal('invalid-request', user.problems);
      const { isNew, ...invited } = await invite(deps, { ...request, ...user });
      results.push({
        index,
        status: isNew ? 'created' : 'existing',
        user: invited,
        code: null,
        problems: [],
      });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'organization-not-found') throw error;
      results.push({ index, status: 'error', user: null, code: error.code, problems: error.problems });
    }
  }
  return results;
}

function countProblem(count: number): Problem | null {
  const field = 'users';
  if (count === 0) return { field, code: 'too-few', message: 'must have at least 1 entry' };
  if (count <= maxInvitationLines) return null;
  return { field, code: 'too-many', message: `must have at most ${maxInvitationLines} entries` };
}
