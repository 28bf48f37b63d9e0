import type { Membership, Role } from '@rollcall/core';

/** The sections of an organization's pages. The role decides which of them a member sees. */
export type SectionName = 'my-meetings' | 'meetings' | 'invitations' | 'webhooks' | 'people' | 'organization';

export interface Section {
  readonly name: SectionName;
  readonly title: string;
  readonly path: string;
}

interface SectionRule {
  readonly name: SectionName;
  readonly title: string;
  /** Below the organization's own address. */
  readonly path: string;
  /** The lowest role that sees it. */
  readonly role: Role;
}

const rules: readonly SectionRule[] = [
  { name: 'my-meetings', title: 'My meetings', path: '/meetings', role: 'member' },
  { name: 'meetings', title: 'Meetings', path: '/export', role: 'admin' },
  { name: 'invitations', title: 'Invitations', path: '/invitations', role: 'admin' },
  { name: 'webhooks', title: 'Webhooks', path: '/webhooks', role: 'admin' },
  { name: 'people', title: 'People', path: '/people', role: 'owner' },
  { name: 'organization', title: 'Organization', path: '', role: 'owner' },
];

const ranks: Record<Role, number> = { member: 0, admin: 1, owner: 2 };

/** The sections for a role. A session that a login link opened sees only the member's own meetings. */
export function sectionsFor({
  organizationId,
  role,
  isBound,
}: {
  readonly organizationId: number;
  readonly role: Role;
  readonly isBound: boolean;
}): readonly Section[] {
  const rank = isBound ? ranks.member : ranks[role];
  return rules
    .filter((rule) => ranks[rule.role] <= rank)
    .map(({ name, title, path }) => ({ name, title, path: `${organizationPath(organizationId)}${path}` }));
}

/** The first page for a role. */
function landingPath({
  organizationId,
  role,
}: {
  readonly organizationId: number;
  readonly role: Role;
}): string {
  return `${organizationPath(organizationId)}${landings[role]}`;
}

/** A link to an organization of the reader's. */
export function organizationLink({ organization: { id, name }, role }: Membership) {
  return { id, name, path: landingPath({ organizationId: id, role }) };
}

const landings: Record<Role, string> = { owner: '', admin: '/webhooks', member: '/meetings' };

export function organizationPath(organizationId: number): string {
  return `/organizations/${organizationId}`;
}
