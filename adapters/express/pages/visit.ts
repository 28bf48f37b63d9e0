import { type Actor, type Organization, Refusal, type ResumedSession, type Role } from '@rollcall/core';
import type { Request, Response } from 'express';
import type { VNode } from 'preact';
import { clientAddress } from './client-address.js';
import type { OrganizationNavigation, SignedIn } from './design/frame.js';
import { showPage } from './design/layout.js';
import type { NoticeView } from './design/notice.js';
import { type TimeZone, timeZoneOf } from './design/times.js';
import { formToken } from './form-guard.js';
import { keepFrame, navigationOf } from './frame-of.js';
import type { SectionName } from './organization/sections.js';
import type { PageHandler } from './page.js';
import type { PageDeps } from './page-deps.js';
import { PageError } from './page-error.js';
import { currentSession, requireSignIn } from './session.js';

/** A request by a member of the organization who may open the page. */
export interface Visit {
  readonly session: ResumedSession;
  readonly organization: Organization;
  readonly role: Role;
  /** The zone of the page's times. */
  readonly zone: TimeZone;
  readonly navigation: OrganizationNavigation;
  readonly signedIn: SignedIn;
  readonly request: Request;
  readonly response: Response;
}

interface PageAccess {
  /** The lowest role that may open the page. For lower roles, the page does not exist. */
  readonly role: Role;
  readonly section: SectionName | null;
}

/** A page of the organization in the address, for its members only. */
export function requireMember(
  deps: PageDeps,
  { role: lowest, section }: PageAccess,
  handle: (visit: Visit) => Promise<void> | void,
): PageHandler {
  return requireSignIn(deps, async (session, request, response) => {
    const organizationId = organizationIn(request);
    const { member, organization } = await deps.core.authorizeMember({
      session,
      organizationId,
      role: lowest,
    });
    const memberships = await deps.core.listMemberships({ userId: session.user.id });
    const { role } = member;
    const { endsInMs } = session;
    const isBound = session.boundTo !== null;
    const navigation = navigationOf({ session, organization, role, memberships, current: section });
    const signedIn = {
      user: session.user,
      formToken: formToken(deps, request, response),
      isBound,
      endsInMs,
    };
    keepFrame(request, { navigation, signedIn });
    const zone = timeZoneOf(request, organization);
    await handle({ session, organization, role, zone, navigation, signedIn, request, response });
  });
}

/** Whether the request may open the page. If not, the page itself explains why. */
export async function isAuthorized(
  deps: PageDeps,
  { role }: Pick<PageAccess, 'role'>,
  request: Request,
): Promise<boolean> {
  const session = await currentSession(deps, request);
  if (session === null) return false;
  try {
    await deps.core.authorizeMember({ session, organizationId: organizationIn(request), role });
    return true;
  } catch (error) {
    if (error instanceof Refusal || error instanceof PageError) return false;
    throw error;
  }
}

/**
 * Answers a visit with a page. The script reloads a page that shows times in another zone than the reader's. That would
 * send a form again, or hide what is shown once, so such pages have no zone.
 */
export function showPageTo(
  { signedIn, navigation, zone, request, response }: Visit,
  deps: PageDeps,
  {
    isShownOnce = false,
    ...view
  }: {
    readonly status?: number;
    readonly title: string;
    readonly notice?: NoticeView | null;
    readonly problemsFragment?: string;
    readonly body: VNode;
    readonly isShownOnce?: boolean;
  },
): void {
  showPage(deps, response, {
    ...view,
    // Nothing was done if the form is given back.
    ...(response.locals.keptForm !== undefined && { status: 403 }),
    signedIn,
    navigation,
    ...(request.method !== 'POST' && !isShownOnce && { timeZone: zone }),
  });
}

/** The actor of a change, for the audit trail. */
export function actorOf({ session, request }: Visit): Actor {
  return { who: { kind: 'user', userId: session.user.id }, from: clientAddress(request) || null };
}

/** Anything but a canonical number is not an organization. */
function organizationIn(request: Request): number {
  const text = String(request.params.id);
  const id = Number(text);
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id)) throw new PageError('not-found');
  return id;
}
