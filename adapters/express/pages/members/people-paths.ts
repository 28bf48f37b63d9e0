import { organizationPath } from '../organization/sections.js';

export function peoplePath(organizationId: number): string {
  return `${organizationPath(organizationId)}/people`;
}

/** The page of one member. */
export function memberPath(organizationId: number, userId: number): string {
  return `${peoplePath(organizationId)}/${userId}`;
}
