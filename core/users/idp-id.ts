import type { Problem } from '../values/problem.js';
import { textProblem } from '../values/text.js';

/** What is wrong with a member's id at the identity provider, or null. A member may have none. */
export function idpIdProblem(idpId: unknown): Problem | null {
  return idpId === null ? null : textProblem('idpId', idpId, { maxCharacters: 500 });
}
