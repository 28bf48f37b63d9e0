import type { Membership, Role, Session } from '@rollcall/core';
import { paths } from '../paths.js';

/** The sections of an organization's pages. The role decides which of them a member may open. */
export type SectionName = 'home' | 'my-meetings' | 'meetings' | 'webhooks' | 'people' | 'settings';

export interface Section {
  readonly name: SectionName | 'sign-on' | 'directory';
  readonly title: string;
  readonly path: string;
}

interface SectionRule {
  readonly title: string;
  readonly path: (organizationId: number) => string;
  /** The lowest role that may open it. */
  readonly role: Role;
  /** What the addresses of its pages begin with, below that of the organization. */
  readonly parts: readonly string[];
}

const rules: Readonly<Record<SectionName, SectionRule>> = {
  home: { title: 'Home', path: paths.organization, role: 'admin', parts: ['', 'activity', 'first-steps'] },
  'my-meetings': {
    title: 'My meetings',
    path: paths.meetings,
    role: 'member',
    parts: ['meetings', 'calendar'],
  },
  meetings: {
    title: 'Meetings',
    path: paths.organizationMeetings,
    role: 'admin',
    parts: ['all-meetings', 'export'],
  },
  webhooks: { title: 'Webhooks', path: paths.webhooks, role: 'admin', parts: ['webhooks'] },
  people: { title: 'People', path: paths.people, role: 'admin', parts: ['people', 'invitations'] },
  settings: {
    ...{ title: 'Settings', path: paths.settings, role: 'owner' },
    parts: ['settings', 'name', 'access-key', 'calls', 'second-factor', 'sign-on', 'directory', 'setup-link'],
  },
};

const names = Object.keys(rules) as SectionName[];

/** The section to which the pages of a route belong. A page without one would be open to the wrong people. */
export function sectionOf(route: string): SectionName {
  const part = /^\/organizations\/:id\/?([a-z-]*)/.exec(route)?.[1];
  const section = names.find((name) => part !== undefined && rules[name].parts.includes(part));
  if (section === undefined) throw new Error(`${route} belongs to no section`);
  return section;
}

/** The lowest role that may open the section. */
export function roleFor(section: SectionName): Role {
  return rules[section].role;
}

const ranks: Record<Role, number> = { member: 0, admin: 1, owner: 2 };

/**
 * The sections for a role. A session that a login link opened sees only the member's own meetings, and one that a set-up link
 * opened only what is set up.
 */
export function sectionsFor({
  organizationId,
  role,
  startedBy,
}: Pick<Session, 'startedBy'> & Readonly<{ organizationId: number; role: Role }>): readonly Section[] {
  if (startedBy === 'setup-link')
    return [
      { name: 'sign-on', title: 'Sign-on', path: paths.signOn(organizationId) },
      { name: 'directory', title: 'Directory', path: paths.directory(organizationId) },
    ];
  const rank = startedBy === 'login-link' ? ranks.member : ranks[role];
  return names
    .filter((name) => ranks[rules[name].role] <= rank)
    .map((name) => ({ name, title: rules[name].title, path: rules[name].path(organizationId) }));
}

export function organizationLink({ organization: { id, name }, role }: Membership) {
  return { id, name, path: role === 'member' ? paths.meetings(id) : paths.organization(id) };
}
