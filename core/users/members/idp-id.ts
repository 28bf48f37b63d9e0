import { Refusal, refusal } from '../../errors.js';
import type { Problem } from '../../values/problem.js';
import { textProblem } from '../../values/text.js';
import type { IdpIdConflict } from '../ports/invitations.js';

/** What is wrong with a member's id at the identity provider, or null. A member may have none. */
export function idpIdProblem(idpId: unknown): Problem | null {
  if (idpId === null) return null;
  const problem = textProblem('idpId', idpId, { maxCharacters: 500 });
  if (problem !== null || typeof idpId !== 'string' || idpId === idpId.trim()) return problem;
  return { field: 'idpId', code: 'malformed', message: 'must not begin or end with a space' };
}

export function isIdpIdConflict(answer: unknown): answer is IdpIdConflict {
  return answer === 'idp-id-of-member' || answer === 'idp-id-of-invitation';
}

/** The refusal for a change of another `idpId` than the stored one. */
export function idpIdOutdated(stored: string | null): Refusal {
  const change = stored === null ? 'removed' : `changed to ${stored}`;
  const message = `was ${change} in the meantime`;
  return new Refusal('invalid-request', [{ field: 'idpId', code: 'outdated', message }]);
}

/** The refusal for an `idpId` that the organization's directory has set. */
export const idpIdKept = refusal('invalid-request', [
  {
    field: 'idpId',
    code: 'not-allowed',
    message: 'is kept by the directory: change it at the identity provider',
  },
]);

/** The refusal for an `idpId` that belongs to a member or a pending invitation. */
export function idpIdTaken(why: IdpIdConflict): Refusal {
  const owner = why === 'idp-id-of-member' ? 'another member' : 'a pending invitation';
  return new Refusal('invalid-request', [
    { field: 'idpId', code: 'taken-id', message: `belongs to ${owner}` },
  ]);
}
