import type { Role } from '@rollcall/core';
import type { Request } from 'express';
import { fieldOf } from '../form-guard.js';

export const roleTitles: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' };

/** The choices of a form. */
export const roleChoices = [
  { value: 'member', text: roleTitles.member },
  { value: 'admin', text: roleTitles.admin },
  { value: 'owner', text: roleTitles.owner },
] as const satisfies readonly { readonly value: Role; readonly text: string }[];

/** The permissions of each role, in words. */
export const ROLES_HELP =
  'Members see their own meetings. Admins also manage webhooks, invitations and exports. Owners also manage people and the access key.';

/** The role in a form. The core refuses unknown ones. */
export function roleIn(request: Request): Role {
  return fieldOf(request, 'role') as Role;
}
