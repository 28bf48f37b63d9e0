import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { csvLine } from '../../values/csv.js';
import { csvChunks, ROWS_PER_CHUNK } from '../../values/csv-chunks.js';
import { checkId } from '../../values/ids.js';
import { checkOneOf } from '../../values/one-of.js';
import type { ExportedPeople } from '../members/export-members.js';
import type { Invitation } from '../ports/invitations.js';
import { searchWords } from '../search-words.js';
import { listedStates } from './invitation.js';
import { type InvitationView, invitationViews } from './invitation-view.js';
import type { ListInvitations } from './list-invitations.js';

/** The request of `exportInvitations`. Only invitations that match both are exported. */
export interface ExportInvitations extends OfOrganization, Pick<ListInvitations, 'search' | 'state'> {}

const LABELS = [
  ...['ID', 'Email', 'First name', 'Last name', 'Identity provider ID', 'Role'],
  ...['State', 'Invited', 'Expires', 'Accepted', 'Revoked', 'Link'],
];

/**
 * Exports the newest invitation of each address as CSV, newest first. Pending ones have their URLs, unless they give a
 * role that not every reader of the file may give.
 *
 * @throws `Refusal`: `invalid-request` if the search is too long or has too many words. `TypeError` if
 * `organization.id` is not an id or `state` is unknown.
 */
export async function exportInvitations(
  deps: Uses<'invitations.find' | typeof invitationViews>,
  { organization, search = '', state }: ExportInvitations,
): Promise<ExportedPeople> {
  const organizationId = checkId('organization.id', organization.id);
  if (state !== undefined) checkOneOf('state', listedStates, state);
  const words = searchWords(search);
  const query = { organizationId, at: deps.clock.now(), state, words, isNewest: true, limit: ROWS_PER_CHUNK };
  const first = await deps.invitations.find(query);
  const linesOf = async (found: readonly Invitation[]) =>
    (await invitationViews(deps, organizationId, found)).map(lineOf).join('');
  const readAfter = (after: Invitation) => deps.invitations.find({ ...query, after });
  return { chunks: csvChunks(LABELS, first, { linesOf, readAfter }) };
}

function lineOf(invitation: Omit<InvitationView, 'inviter'>): string {
  const { userUuid, email, firstName, lastName, idpId, role, replacedBy } = invitation;
  const invitationUrl = role === 'member' ? invitation.invitationUrl : null;
  const state = replacedBy === null ? invitation.state : 'replaced';
  const { createdAt, expiresAt, acceptedAt, revokedAt } = invitation;
  return csvLine([
    ...[userUuid, email, firstName, lastName, idpId, role],
    ...[state, createdAt, expiresAt, acceptedAt, revokedAt, invitationUrl],
  ]);
}
