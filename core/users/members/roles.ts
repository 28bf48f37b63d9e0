import { refusal } from '../../errors.js';
import type { Problem } from '../../values/problem.js';
import type { Role } from '../ports/members.js';

/** Every role, from the most to the least permissions. */
export const roles: readonly Role[] = ['owner', 'admin', 'member'];

/** What is wrong with a role, or null. */
export function roleProblem(role: Role): Problem | null {
  if (roles.includes(role)) return null;
  return { field: 'role', code: 'not-allowed', message: `must be one of ${roles.join(', ')}` };
}

export const ownerNotRemoved = refusal(
  'is-owner',
  'This user is an owner. An owner removes owners on the People page',
);
