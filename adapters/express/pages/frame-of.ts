import type { Membership, Organization, Role, Session } from '@rollcall/core';
import type { Request, Response } from 'express';
import type { Frame, OrganizationNavigation } from './design/frame.js';
import { formToken } from './form-guard.js';
import { organizationLink, type SectionName, sectionsFor } from './organization/sections.js';
import type { PageDeps } from './page-deps.js';
import { currentSession } from './session.js';

const frames = new WeakMap<Request, Frame>();

/** The frame that the page of the request has, so that its error page has the same one. Undefined if it is not known. */
export function knownFrame(request: Request): Frame | undefined {
  return frames.get(request);
}

export function keepFrame(request: Request, frame: Frame): void {
  frames.set(request, frame);
}

/** The frame of a page that anyone may open: what can't be found out about the reader is left out. */
export async function frameOf(deps: PageDeps, request: Request, response: Response): Promise<Frame> {
  const known = frames.get(request);
  if (known !== undefined) return known;
  const session = await currentSession(deps, request).catch(() => null);
  if (session === null) return {};
  const signedIn = {
    user: session.user,
    formToken: formToken(deps, request, response),
    isBound: session.boundTo !== null,
    endsInMs: session.endsInMs,
  };
  const navigation = await navigationIn(deps, request, session).catch(() => null);
  return navigation === null ? { signedIn } : { signedIn, navigation };
}

/** The navigation of the organization in the address. Throws if the reader is not a member of it. */
async function navigationIn(
  deps: PageDeps,
  { path }: Request,
  session: Session,
): Promise<OrganizationNavigation | null> {
  const id = Number(/^\/organizations\/([1-9]\d{0,15})(?=\/|$)/.exec(path)?.[1]);
  if (!Number.isSafeInteger(id)) return null;
  const { member, organization } = await deps.core.authorizeMember({
    session,
    organizationId: id,
    role: 'member',
  });
  const memberships = await deps.core.listMemberships({ userId: session.user.id });
  return navigationOf({ session, organization, role: member.role, memberships, current: null });
}

export function navigationOf({
  session,
  organization,
  role,
  memberships,
  current,
}: {
  readonly session: Session;
  readonly organization: Organization;
  readonly role: Role;
  readonly memberships: readonly Membership[];
  readonly current: SectionName | null;
}): OrganizationNavigation {
  const isBound = session.boundTo !== null;
  return {
    organization,
    sections: sectionsFor({ organizationId: organization.id, role, isBound }),
    current,
    organizations: isBound ? [] : memberships.map(organizationLink),
  };
}
