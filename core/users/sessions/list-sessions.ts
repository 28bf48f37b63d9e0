import type { Organization } from '../../access/ports/organizations.js';
import type { Uses } from '../../deps.js';
import type { Membership } from '../ports/members.js';
import type { Session, StoredSession } from '../ports/sessions.js';
import { authorizeAccount } from './authorize-account.js';
import type { ResumeSession } from './resume-session.js';
import { maxListedSessions } from './session.js';
import { workingSessions } from './working-sessions.js';

/** The request of `listSessions`. */
export type ListSessions = ResumeSession;

/** A session as its user sees it. */
export interface ListedSession extends Pick<Session, 'device' | 'createdAt' | 'seenAt' | 'startedBy'> {
  /** Names the session for `endSession`. Letters, digits, `-` and `_`; it opens nothing. */
  readonly id: string;
  /** The organization that the session is limited to; null: the user signed in with the password. */
  readonly organization: Pick<Organization, 'id' | 'name'> | null;
}

/** The sessions of a user. */
export interface ListedSessions {
  /** The session that asks, which is in use now. */
  readonly own: ListedSession;
  /** The others, the last used first; at most `maxListedSessions`. */
  readonly others: readonly ListedSession[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/**
 * Lists the sessions of a user that still work, for a user who signed in with the password. Sessions that login links
 * started are among them, but cannot list any.
 *
 * @throws `Refusal`: `sign-in-required` without a session, `session-bound` if a login link started it.
 */
export async function listSessions(
  deps: Uses<'members.ofUser' | 'secrets.sessionId' | 'sessions.ofUser' | typeof authorizeAccount>,
  request: ListSessions,
): Promise<ListedSessions> {
  const { hash, user, device, createdAt, startedBy } = await authorizeAccount(deps, request);
  const [sessions, memberships] = await Promise.all([
    workingSessions(deps, { userId: user.id }),
    deps.members.ofUser(user.id),
  ]);
  const own = {
    ...{ id: deps.secrets.sessionId(hash), device, createdAt, startedBy },
    ...{ seenAt: deps.clock.now(), organization: null },
  };
  const others = sessions
    .flatMap((session) => listedSession(deps, { session, memberships }))
    .filter(({ id }) => id !== own.id);
  return { own, others: others.slice(0, maxListedSessions), hasMore: others.length > maxListedSessions };
}

/** Nothing if the session is bound to an organization that the user has left meanwhile, which has ended it. */
function listedSession(
  { secrets }: Uses<'secrets.sessionId'>,
  {
    session: { hash, device, createdAt, seenAt, boundTo, startedBy },
    memberships,
  }: { readonly session: StoredSession; readonly memberships: readonly Membership[] },
): readonly ListedSession[] {
  const membership = memberships.find(({ organization }) => organization.id === boundTo);
  if (boundTo !== null && membership === undefined) return [];
  const organization = membership && { id: membership.organization.id, name: membership.organization.name };
  const shown = { device, createdAt, seenAt, startedBy };
  return [{ id: secrets.sessionId(hash), ...shown, organization: organization ?? null }];
}
