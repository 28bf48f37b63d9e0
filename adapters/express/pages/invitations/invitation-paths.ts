import { organizationPath } from '../organization/sections.js';

export function invitationsPath(organizationId: number): string {
  return `${organizationPath(organizationId)}/invitations`;
}

/** The page of one invitation, by the UUID that the organization knows the person by. */
export function invitationPath(organizationId: number, uuid: string): string {
  return `${invitationsPath(organizationId)}/${uuid}`;
}
