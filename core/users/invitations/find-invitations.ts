import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { decodeCursor } from '../../values/cursor.js';
import { emailProblem, normalizeEmail } from '../../values/email.js';
import { checkId, isUuid } from '../../values/ids.js';
import { type ListPart, type ListRequest, listLimit, listPart } from '../../values/list.js';
import { checkOneOf } from '../../values/one-of.js';
import { refuseAny } from '../../values/problems.js';
import { isStorable } from '../../values/text.js';
import { clampTimestamp, parseInstant } from '../../values/timestamp.js';
import type { Invitation, ListedState } from '../ports/invitations.js';
import { listedStates } from './invitation.js';
import { type InvitationView, invitationViews } from './invitation-view.js';

/** The request of `findInvitations`. */
export interface FindInvitations extends OfOrganization, ListRequest {
  /** Left out: in any state. */
  readonly state?: ListedState | undefined;
  /** Only invitations of this address, in any case; left out: of any address. */
  readonly email?: string | undefined;
  /** Only invitations with this id at the organization's identity provider, compared exactly; left out: with any or none. */
  readonly idpId?: string | undefined;
}

const LIST = 'invitations';

/**
 * Finds the organization's invitations, newest first, one part of the list at a time.
 *
 * @throws `Refusal` `invalid-request` if `email` is not an address, or `after` is not the `next` of an earlier result. `TypeError` if
 * `organization.id` is not an id or `state` is unknown.
 */
export async function findInvitations(
  deps: Uses<'invitations.find' | typeof invitationViews>,
  { organization, state, email, idpId, ...requested }: FindInvitations,
): Promise<ListPart<Omit<InvitationView, 'inviter'>>> {
  const organizationId = checkId('organization.id', organization.id);
  if (state !== undefined) checkOneOf('state', listedStates, state);
  const limit = listLimit(requested.limit);
  const after = decodeCursor(LIST, requested.after, placeOf);
  refuseAny([email === undefined ? null : emailProblem('email', email)]);
  if (!isStorable(idpId ?? '')) return { items: [], next: null };

  const query = { organizationId, at: deps.clock.now(), state, idpId, after, limit: limit + 1 };
  const found = await deps.invitations.find({ ...query, email: email && normalizeEmail(email) });
  const { items, next } = listPart(found, { list: LIST, limit, keyOf });
  return { items: await invitationViews(deps, organizationId, items), next };
}

type Place = Pick<Invitation, 'createdAt' | 'id'>;

function keyOf({ createdAt, id }: Place): readonly string[] {
  return [createdAt.toISOString(), id];
}

function placeOf([time, id, ...others]: readonly unknown[]): Place | null {
  if (typeof time !== 'string' || !isUuid(id) || others.length > 0) return null;
  const parsed = parseInstant(time);
  const createdAt = parsed && clampTimestamp(parsed);
  return createdAt?.toISOString() === time ? { createdAt, id } : null;
}
