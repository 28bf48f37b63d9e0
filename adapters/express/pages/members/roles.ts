import type { Role } from '@rollcall/core';

export const roleTitles: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' };

export const roleChoices = [
  { value: 'member', text: roleTitles.member },
  { value: 'admin', text: roleTitles.admin },
  { value: 'owner', text: roleTitles.owner },
] as const satisfies readonly { readonly value: Role; readonly text: string }[];

/** The permissions of each role, in words. */
export const ROLES_HELP =
  'Members see their own meetings. Admins also see people, and manage webhooks, invitations and exports. Owners also manage people and the access key.';
