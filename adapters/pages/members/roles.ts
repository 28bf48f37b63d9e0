import type { Role } from '@rollcall/core';
import type { Request } from 'express';
import { fieldOf } from '../form-guard.js';

export const roleTitles: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' };

/** For those who choose. */
export const roleChoices = [
  { value: 'member', text: roleTitles.member },
  { value: 'admin', text: roleTitles.admin },
  { value: 'owner', text: roleTitles.owner },
] as const satisfies readonly { readonly value: Role; readonly text: string }[];

/** What each may do. */
export const ROLES_HELP =
  'Members see their own meetings; admins also webhooks, invitations and exports; owners also the access key and the people.';

/** The role that a form asks for; the core refuses what is none. */
export function roleIn(request: Request): Role {
  return fieldOf(request, 'role') as Role;
}
