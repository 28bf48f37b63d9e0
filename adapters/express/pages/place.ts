import { keepInCookie, keptInCookie } from './encrypted-cookie.js';
import { keptPath, organizationIn, pathAfterSignIn, paths, RESENT } from './paths.js';
import type { Visit } from './visit.js';

/** As long as a session lasts at most. */
const LIFETIME_SECONDS = 12 * 60 * 60;

function cookieOf({ sessionToken }: Visit) {
  return { name: 'place', context: `place in an organization, in session ${sessionToken ?? ''}` } as const;
}

/**
 * Where the reader was last in an organization, for links back to it: a list as it was searched and paged, a page that waits
 * for something, else the organization. Only this session can read it. Null: nowhere.
 */
function placeOf(visit: Visit): string | null {
  return keptInCookie(visit, cookieOf(visit));
}

const saidOnce = new RegExp(`([?&])${RESENT}=[^&]*(&|$)`);

/**
 * Remembers the address of the page that is opened, without what it says once. Only addresses that signing in may lead to are
 * kept.
 */
export function rememberPlace(visit: Visit, opened = visit.request.url): void {
  const address = opened.replace(saidOnce, (_, before, after) => (after === '' ? '' : before));
  const text = keptPath(pathAfterSignIn(address)) ?? visit.request.path;
  if (text !== placeOf(visit))
    keepInCookie(visit, { ...cookieOf(visit), text, seconds: LIFETIME_SECONDS, untilClosed: true });
}

/** Remembers the organization of another page. Its list, or the page that waits, is kept while it is of use. */
export function rememberOrganizationOf(visit: Visit, organizationId: number): void {
  const place = placeOf(visit);
  const isOld = place === paths.requireSecondFactor(organizationId) && place !== visit.request.path;
  if (place === null || organizationIn(place) !== organizationId || isOld)
    rememberPlace(visit, paths.organization(organizationId));
}

/** The organization that the reader was in last. */
export function lastPlaceIn(visit: Visit): number | null {
  return organizationIn(placeOf(visit) ?? '');
}

/** The page in which the reader needs a second factor to go on. */
export function placeThatNeedsFactor(visit: Visit): string | null {
  const place = placeOf(visit);
  const organizationId = organizationIn(place ?? '');
  return organizationId !== null && place === paths.requireSecondFactor(organizationId) ? place : null;
}

/** The list, as the reader has seen it last. */
export function listPath(visit: Visit, path: string): string {
  const place = placeOf(visit);
  return place?.split('?', 1)[0] === path ? place : path;
}
