import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { Limit } from '../../access/ports/limits.js';
import type { Uses } from '../../deps.js';
import { Refusal, refusal } from '../../errors.js';
import { mayBeId, mayBeUuid } from '../../values/ids.js';
import { type MemberUuid, refuseInvited } from '../members/member-of.js';
import type { User } from '../user.js';
import { loginLinkLifetimeMs } from './login-link.js';

/** So that no more links of one member work at once. The older ones keep working, because they may be in use. */
const perMember: Limit = { name: 'login-links', points: 1_000, seconds: loginLinkLifetimeMs / 1000 };

/** The request of `issueLoginLink`. */
export interface IssueLoginLink extends MemberUuid, Acting {}

/**
 * Creates a link that signs the member in once, within five minutes.
 *
 * @throws `Refusal`: `user-not-found`; `invitation-pending` if the person has not accepted yet;
 * `too-many-requests` after 1,000 links for the member in five minutes.
 */
export async function issueLoginLink(
  deps: Uses<'limits.consume' | 'links.login' | 'loginLinks.store' | 'secrets.newToken' | typeof memberOf>,
  { organization, uuid, by }: IssueLoginLink,
): Promise<{ readonly url: string; readonly expiresAt: Date }> {
  checkActor(by);
  const organizationId = organization.id;
  const { id: userId, email } = await memberOf(deps, { organizationId, uuid });
  const seconds = await deps.limits.consume(perMember, `${organizationId}/${userId}`);
  if (seconds > 0) throw tooManyLinks(seconds);
  const { token, hash } = deps.secrets.newToken('login-link');
  const createdAt = deps.clock.now();
  const expiresAt = new Date(createdAt.getTime() + loginLinkLifetimeMs);
  const isStored = await deps.loginLinks.store({ hash, organizationId, userId, createdAt, expiresAt }, () =>
    auditEntries(
      { by, at: createdAt },
      { organizationId, action: 'login-link-issued', subject: email, aboutUserId: userId },
    ),
  );
  if (!isStored) throw userNotFound();
  return { url: deps.links.login(token), expiresAt };
}

/** An unknown UUID, a malformed one and one of another organization are refused with the same message. */
async function memberOf(
  deps: Uses<'members.byUuid' | typeof refuseInvited>,
  key: { readonly organizationId: number; readonly uuid: string },
): Promise<User> {
  if (!mayBeId('organization.id', key.organizationId) || !mayBeUuid('uuid', key.uuid)) throw userNotFound();
  const lowerCase = { ...key, uuid: key.uuid.toLowerCase() };
  const member = await deps.members.byUuid(lowerCase);
  if (member !== null) return member.user;
  await refuseInvited(deps, lowerCase);
  throw userNotFound();
}

const userNotFound = refusal('user-not-found', 'User not found');

function tooManyLinks(seconds: number): Refusal {
  const message = `Too many login links for this user; try again in ${seconds} s, or use one that you have`;
  return new Refusal('too-many-requests', message, seconds);
}
