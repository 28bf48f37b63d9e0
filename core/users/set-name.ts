import { type Acting, checkActor } from '../access/acting.js';
import { auditEntries } from '../access/audit-entries.js';
import type { OfOrganization } from '../access/of-organization.js';
import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { normalizeEmail } from '../values/email.js';
import { mayBeId } from '../values/ids.js';
import { refuseAny } from '../values/problems.js';
import { nameProblems, noSuchUser } from './person.js';
import type { Person, User } from './user.js';

/** The request of `setName`. */
export interface SetName extends Acting, Pick<Person, 'firstName' | 'lastName'> {
  /** An address that is no longer valid must be exactly as stored. */
  readonly person: { readonly email: string } | { readonly userId: number };
  /**
   * For a caller who acts for an organization: refused unless the person is its member, and neither a member of another
   * organization nor the leader of a meeting that is not its own. Left out: the person, or the operator, acts.
   */
  readonly onlyOf?: OfOrganization['organization'] | undefined;
}

/**
 * Corrects the name of a user, everywhere where it is shown: also the `host` of the meetings that they lead, if it is
 * nothing but their name. The change is in the audit trail of every organization that the user belongs to. The name that
 * the user already has changes nothing. What was sent or recorded before stays as it was.
 *
 * @throws `Refusal`: `invalid-request` with every problem of the name; `user-not-found`; with `onlyOf`,
 * `member-not-found` and `in-other-organization`.
 */
export async function setName(
  deps: Uses<'clock.now' | 'users.byEmail' | 'users.setName'>,
  { person, firstName, lastName, onlyOf, by }: SetName,
): Promise<User> {
  checkActor(by);
  const organizationId = onlyOf?.id;
  const isPossible = onlyOf === undefined || mayBeId('onlyOf.id', onlyOf.id);
  refuseAny(nameProblems({ firstName, lastName }));
  const userId = isPossible ? await idOf(deps, person) : null;
  if (userId === null) throw notFound(person, organizationId);
  const at = deps.clock.now();
  const change = { userId, firstName, lastName, onlyOf: organizationId };
  const changed = await deps.users.setName(change, ({ user, before, organizationIds }) => {
    const subject = `${user.email}: ${before.firstName} ${before.lastName} → ${firstName} ${lastName}`;
    return organizationIds.flatMap((id) =>
      auditEntries({ by, at }, { organizationId: id, action: 'name-changed', subject, aboutUserId: user.id }),
    );
  });
  if (changed === 'not-found') throw notFound(person, organizationId);
  if (changed === 'in-other-organization')
    throw new Refusal(
      'in-other-organization',
      'This account is also used outside this organization, so only the person or the operator of this service can correct the name',
    );
  return changed;
}

async function idOf({ users }: Uses<'users.byEmail'>, person: SetName['person']): Promise<number | null> {
  if ('userId' in person) return mayBeId('userId', person.userId) ? person.userId : null;
  const user = (await users.byEmail(person.email)) ?? (await users.byEmail(normalizeEmail(person.email)));
  return user?.id ?? null;
}

function notFound(person: SetName['person'], organizationId: number | undefined): Refusal {
  if (organizationId !== undefined) return new Refusal('member-not-found', 'There is no such member');
  if ('email' in person) return noSuchUser(person.email);
  return new Refusal('user-not-found', 'There is no such user');
}
