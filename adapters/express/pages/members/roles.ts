import type { Role } from '@rollcall/core';
import { choicesOf } from '../design/form.js';

export const roleTitles: Record<Role, string> = { member: 'Member', admin: 'Admin', owner: 'Owner' };

export const roleChoices = choicesOf(roleTitles);

/** The permissions of each role, in words. */
export const ROLES_HELP =
  'Members see their own meetings. Admins also see people, and manage webhooks, invitations and exports. Owners also manage people and the access key.';
