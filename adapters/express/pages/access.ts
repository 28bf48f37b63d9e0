import { type Actor, type Membership, Refusal, type ResumedSession, type Role } from '@rollcall/core';
import { networkOf } from '@rollcall/core/adapters';
import type { Frame, OrganizationNavigation, SignedIn } from './design/frame.js';
import type { Parts, View } from './design/layout.js';
import { timeZoneOf } from './design/times.js';
import { PageError } from './errors/error-page.js';
import { authoredToken, formToken } from './form.js';
import { organizationLink, type SectionName, sectionsFor } from './organization/sections.js';
import { organizationIn, paths, signInPath } from './paths.js';
import { lastPlaceIn, rememberOrganizationOf, rememberPlace } from './place.js';
import { canonicalId, type MemberVisit, type SignedInVisit, type Visit } from './visit.js';

/** For people who are signed in. Null: the reader is redirected to the sign-in page, and back afterwards. */
export async function asSignedIn(visit: Visit, isKept: boolean): Promise<SignedInVisit | null> {
  const session = await visit.findSession();
  if (session === null) {
    visit.response.redirect(303, signInPath(visit));
    return null;
  }
  const signedIn = signedInOf(visit, session);
  const token = isKept ? authoredToken(visit, session.user.id) : signedIn.formToken;
  const isSetup = session.startedBy === 'setup-link';
  const who: Actor['who'] = isSetup ? { kind: 'setup-link' } : { kind: 'user', userId: session.user.id };
  const by = { who, from: visit.clientAddress || null };
  // The frame of an organization's page needs its navigation.
  const frame = organizationIn(visit.request.path) === null ? { signedIn } : {};
  return Object.assign(visit, { session, isSetup, signedIn, token, by, frame });
}

/** For people who signed in with their password: no other session has an account (decision 19). */
export async function asAccount(visit: Visit, isKept: boolean): Promise<SignedInVisit | null> {
  const signedIn = await asSignedIn(visit, isKept);
  if (signedIn === null) return null;
  const { session, frame } = signedIn;
  if (session.startedBy !== 'password') throw new PageError('bound-session');
  const navigation = await lastNavigation(visit, session);
  return Object.assign(signedIn, { frame: { ...frame, ...(navigation && { navigation }) } });
}

/** That of the organization that the reader comes from, or of their only one. Null: there is neither. */
async function lastNavigation(visit: Visit, session: ResumedSession) {
  const memberships = await visit.core.listMemberships({ userId: session.user.id }).catch(() => []);
  const only = memberships.length === 1 ? memberships[0]?.organization.id : undefined;
  const organizationId = lastPlaceIn(visit) ?? only;
  if (organizationId === undefined) return null;
  const asked = { organizationId, role: 'member', isForSetup: false, current: null, memberships } as const;
  const opened = await openOrganization(visit, session, asked).catch(() => null);
  return opened?.navigation ?? null;
}

interface Opening {
  readonly section: SectionName;
  readonly role: Role;
  readonly isForSetup: boolean;
  readonly isList: boolean;
  readonly isKept: boolean;
}

/** For members of the organization in the address with the role. For others, its pages do not exist. */
export async function asMember(
  visit: Visit,
  { section, role: lowest, isForSetup, isList, isKept }: Opening,
): Promise<MemberVisit | null> {
  const reader = await asSignedIn(visit, isKept);
  if (reader === null) return null;
  const { session, request, signedIn, isSetup, show: showAsMember } = reader;
  const organizationId = canonicalId(request.params.id);
  const setup = request.path.startsWith(paths.directory(organizationId)) ? 'directory' : 'sign-on';
  const { organization, role, navigation } = await openOrganization(visit, session, {
    ...{ organizationId, role: lowest, isForSetup, current: isSetup ? setup : section },
  });
  const zone = timeZoneOf(request, organization);
  const show = (view: View, ...parts: Parts): void => {
    if (isList) rememberPlace(visit);
    else if (request.method === 'GET') rememberOrganizationOf(visit, organization.id);
    showAsMember(view, ...parts);
  };
  return Object.assign(reader, { organization, role, zone, frame: { signedIn, navigation }, show });
}

/** Whether the request may open a page for the role. If not, the page itself explains why. */
export async function mayOpen(visit: Visit, role: Role): Promise<boolean> {
  const session = await visit.findSession();
  if (session === null) return false;
  try {
    const organizationId = canonicalId(visit.request.params.id);
    await visit.core.authorizeMember({ session, organizationId, role, isForSetup: false });
    return true;
  } catch (error) {
    if (error instanceof Refusal || error instanceof PageError) return false;
    throw error;
  }
}

/** The frame of a page that anyone may open: what can't be found out about the reader is left out. */
export async function frameOf(visit: Visit): Promise<Frame> {
  if (visit.frame.signedIn !== undefined) return visit.frame;
  const session = await visit.findSession().catch(() => null);
  if (session === null) return {};
  const signedIn = signedInOf(visit, session);
  const organizationId = organizationIn(visit.request.path);
  if (organizationId === null) return { signedIn };
  const asked = { organizationId, role: 'member', isForSetup: true, current: null } as const;
  const opened = await openOrganization(visit, session, asked).catch(() => null);
  return opened === null ? { signedIn } : { signedIn, navigation: opened.navigation };
}

function signedInOf(visit: Visit, { user, startedBy, endsInMs }: ResumedSession): SignedIn {
  return { user, formToken: formToken(visit), startedBy, endsInMs };
}

interface Asked extends Pick<OrganizationNavigation, 'current'> {
  readonly organizationId: number;
  readonly role: Role;
  readonly isForSetup: boolean;
  /** Those of the reader, if they are known. */
  readonly memberships?: readonly Membership[];
}

/** The organization with its navigation. Throws if the reader may not open a page of it for the role. */
async function openOrganization(
  { core }: Visit,
  session: ResumedSession,
  { current, memberships, ...asked }: Asked,
) {
  const { user, startedBy } = session;
  const { member, organization } = await core.authorizeMember({ session, ...asked });
  const { role } = member;
  const others =
    memberships ?? (startedBy === 'password' ? await core.listMemberships({ userId: user.id }) : []);
  const navigation: OrganizationNavigation = {
    ...{ organization, current, organizations: others.map(organizationLink) },
    sections: sectionsFor({ organizationId: organization.id, role, startedBy }),
  };
  return { organization, role, navigation };
}

/** Counts a page for the session's user, else for the IP address. */
export async function countVisit(visit: Visit): Promise<void> {
  // If the session can't be read, a page that needs it reports that itself.
  const session = await visit.findSession().catch(() => null);
  const subject =
    session === null
      ? `address ${networkOf(visit.clientAddress)}`
      : // People with a set-up link use up no limit of the owner's.
        `${session.startedBy === 'setup-link' ? 'set-up by' : 'user'} ${session.user.id}`;
  await visit.visitLimits.countPage(subject);
}
