import { Refusal } from '../errors.js';
import type { Problem } from '../values/problem.js';
import { textProblem } from '../values/text.js';
import type { IdpIdConflict } from './ports.js';

/** What is wrong with a member's id at the identity provider, or null. A member may have none. */
export function idpIdProblem(idpId: unknown): Problem | null {
  return idpId === null ? null : textProblem('idpId', idpId, { maxCharacters: 500 });
}

export function isIdpIdConflict(answer: unknown): answer is IdpIdConflict {
  return answer === 'idp-id-of-member' || answer === 'idp-id-of-invitation';
}

/** The refusal for an `idpId` that somebody else has. */
export function idpIdTaken(why: IdpIdConflict): Refusal {
  const owner = why === 'idp-id-of-member' ? 'another member' : 'a pending invitation';
  return new Refusal('invalid-request', [
    { field: 'idpId', code: 'taken-id', message: `belongs to ${owner}` },
  ]);
}
