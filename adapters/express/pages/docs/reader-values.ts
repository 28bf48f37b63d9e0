import type { Organization } from '@rollcall/core';
import { unlessRefused } from '../errors/unless-refused.js';
import { paths } from '../paths.js';
import type { Visit } from '../visit.js';

/** The values with which the commands of the guide begin. */
export type ReaderValues = Awaited<ReturnType<typeof readerValues>>;

/** What a reader has to replace. A shell accepts both, and the API refuses them. */
const UNKNOWN = { organization: 'your-organization-number', accessKey: 'your-24-digit-access-key' };

/** The reader's own organization if the reader administers one, else the published one, else placeholders. */
export async function readerValues(visit: Visit) {
  const { publishedOrganization: published = null, request } = visit;
  const administered = await administeredBy(visit);
  const chosen = administered.find(({ id }) => String(id) === request.query.organization);
  const own = chosen ?? administered[0];
  const id = own?.id ?? published?.id;
  const key = published !== null && published.id === id ? published : null;
  const isComplete = key !== null && (await key.isAccessKeyValid());
  return {
    organization: id === undefined ? UNKNOWN.organization : String(id),
    accessKey: isComplete ? key.accessKey : UNKNOWN.accessKey,
    /** The commands work without a change. */
    isComplete,
    /** The published access key was replaced, so that the reader has to fill in the new one. */
    isReplaced: key !== null && !isComplete,
    /** Null: the reader is not signed in, or administers no organization. */
    own: own ?? null,
    /** The number of the reader's organization, if the reader asked for it. */
    chosen: chosen?.id ?? null,
    /** The other organizations that the reader administers. */
    others: administered.filter((organization) => organization !== own),
  };
}

/** By the names in paths, what calls are tried with in the reference: something of the reader's own organization. */
export async function ownValues(visit: Visit): Promise<Readonly<Record<string, string>> | null> {
  const [own] = await administeredBy(visit);
  // The examples of the document are those of the published organization.
  if (own === undefined || own.id === visit.publishedOrganization?.id) return null;
  const { core } = visit;
  const session = await visit.findSession();
  const opened = session && core.authorizeMember({ session, organizationId: own.id, role: 'admin' });
  // The organization may open only with sign-on.
  if (opened === null || (await unlessRefused(opened)) === null) return null;
  const first = { organization: own, limit: 1 };
  const [users, invitations, deliveries] = await Promise.all([
    core.listUsers({ ...first, role: 'member' }),
    core.findInvitations(first),
    core.listDeliveries(first),
  ]);
  const user = users.items[0]?.user;
  return {
    organization: String(own.id),
    id: users.items[0]?.idpId ?? '',
    uuid:
      (visit.request.path === paths.docsGroup('invitations') ? invitations.items[0]?.userUuid : user?.uuid) ??
      '',
    delivery_id: String(deliveries.deliveries[0]?.id ?? ''),
  };
}

async function administeredBy({ core, findSession }: Visit): Promise<readonly Organization[]> {
  const session = await findSession();
  if (session === null || session.startedBy === 'login-link' || session.startedBy === 'setup-link') return [];
  const { boundTo } = session;
  const memberships = await core.listMemberships({ userId: session.user.id });
  const opened = memberships.filter(({ organization: { id } }) => boundTo === null || boundTo === id);
  return opened.filter(({ role }) => role !== 'member').map(({ organization }) => organization);
}
