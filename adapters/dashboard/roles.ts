import type { Role } from '@rollcall/core';
import type { Request } from 'express';
import { fieldOf } from './form-guard.js';

export const roleTitles: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' };

/** What each may do, for those who choose. */
export const roleChoices = [
  { value: 'member', text: 'Member: sees their own meetings' },
  { value: 'admin', text: 'Admin: also webhooks, invitations and exports' },
  { value: 'owner', text: 'Owner: also the access key and the people' },
] as const satisfies readonly { readonly value: Role; readonly text: string }[];

/** The role that a form asks for; the core refuses what is none. */
export function roleIn(request: Request): Role {
  return fieldOf(request, 'role') as Role;
}
