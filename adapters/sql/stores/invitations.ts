import type {
  Invitation,
  InvitationOrder,
  InvitationState,
  Invitations,
  InvitedRole,
  Inviter,
  ListedInvitation,
  ListedState,
  NewInvitation,
  Who,
} from '@rollcall/core';
import { invitationState, renewedExpiry } from '@rollcall/core/rules';
import type { Database, Engine, Sql } from '../engine/database.js';
import { allOf, inLists, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { countsOf, execute, exists, selectOne, totalOf } from '../engine/statements.js';
import { oneOf, stored, storedIn } from '../engine/stored.js';
import type { StorageDatabase, Transaction } from '../outbox/waiting-deliveries.js';
import { isPostgresConstraintError } from '../postgres/errors.js';
import { storedNamedUser, toWho, whoValues } from './audit-trail.js';
import { idpIdConflict } from './idp-id.js';
import { writeJournal } from './journal.js';
import { lockAddress, lockIdpId } from './locks.js';
import { containsWords, sortKeyOf } from './text-search.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';

const fields = storedIn('invitations', {
  ...{ id: 'text', keyId: 'text', organizationId: 'whole', userUuid: 'text', idpId: 'textOrNull' },
  ...{ email: 'text', firstName: 'text', lastName: 'text' },
  ...{ role: oneOf<InvitedRole>(), createdAt: 'time', expiresAt: 'timeOrNull' },
  ...{ acceptedAt: 'timeOrNull', revokedAt: 'timeOrNull' },
  ...{ invitedBy: oneOf<Who['kind'] | null>(), invitedByUserId: 'wholeOrNull' },
});

export const storedInvitation = stored<Invitation>(fields.columns, (row) => {
  const { invitedBy: who, invitedByUserId, ...invitation } = fields.read(row);
  return { ...invitation, invitedBy: who === null ? null : toWho(who, invitedByUserId) };
});

const listedInvitation = stored<ListedInvitation>(`${fields.columns}, ${storedNamedUser.columns}`, (row) => ({
  ...storedInvitation.read(row),
  inviter: storedNamedUser.read(row),
}));

const storedInviter = stored<Inviter | null>(
  `${storedNamedUser.columns}, memberships.user_id IS NOT NULL AS is_owner`,
  (row) => {
    const user = storedNamedUser.read(row);
    return user && { ...user, isOwner: Boolean(row.is_owner) };
  },
);

/** Whether a pending invitation has expired by a time. */
const isExpired = (at: Date | null) =>
  SQL`expires_at <= ${at} AND accepted_at IS NULL AND revoked_at IS NULL`;

/** The invitations at a time: those that have expired are revoked. Without a time, as they are stored. */
function invitationsAt(at: Date | null = null): SqlText {
  const columns = fields.columns.replaceAll('invitations.', '').replace(' revoked_at,', '');
  return SQL`(SELECT ${raw(columns)}, CASE WHEN ${isExpired(at)} THEN expires_at ELSE revoked_at END AS revoked_at,
        revoked_at AS stored_revoked_at, CAST(${at} AS timestamptz) AS seen_at FROM invitations) AS invitations`;
}

const states: Record<InvitationState, string> = {
  pending: 'invitations.accepted_at IS NULL AND invitations.revoked_at IS NULL',
  accepted: 'invitations.accepted_at IS NOT NULL',
  revoked: 'invitations.accepted_at IS NULL AND invitations.revoked_at IS NOT NULL',
};

/** Finds an invitation that replaced a revoked one. Both subqueries use indexes, however the rest is planned. */
const replacement = `coalesce(
    (SELECT 1 FROM invitations AS other
      WHERE other.organization_id = invitations.organization_id AND other.email = invitations.email
        AND other.accepted_at IS NULL AND other.revoked_at IS NULL
        AND (other.expires_at <= invitations.seen_at) IS NOT TRUE LIMIT 1),
    (SELECT 1 FROM users AS invited
      JOIN memberships ON memberships.organization_id = invitations.organization_id
        AND memberships.user_id = invited.id
      JOIN invitations AS other ON other.organization_id = memberships.organization_id
        AND other.user_uuid = memberships.uuid AND other.accepted_at IS NOT NULL
      WHERE invited.email = invitations.email LIMIT 1)
  )`;

const listedStates: Record<ListedState, string> = {
  ...states,
  revoked: `${states.revoked} AND ${replacement} IS NULL`,
  replaced: `${states.revoked} AND ${replacement} IS NOT NULL`,
};

/** Of two of the same time, the one that was renewed is the older one. */
const isNewestOfAddress = `NOT EXISTS (
    SELECT 1 FROM invitations AS newer
    WHERE newer.organization_id = invitations.organization_id AND newer.email = invitations.email
      AND (newer.created_at, newer.revoked_at IS NULL, newer.id)
        > (invitations.created_at, invitations.stored_revoked_at IS NULL, invitations.id)
  )`;

const name = "invitations.first_name || ' ' || invitations.last_name";
const searched = `${name} || ' ' || invitations.email || ' ' || coalesce(invitations.idp_id, '')`;

const NEWEST_FIRST = raw('invitations.created_at DESC, invitations.id DESC');
const orders: Record<InvitationOrder, (engine: Engine) => SqlText> = {
  newest: () => NEWEST_FIRST,
  oldest: () => raw('invitations.created_at, invitations.id'),
  name: (engine) => SQL`${sortKeyOf[engine](name)}, ${NEWEST_FIRST}`,
};

/** When another caller stores an invitation at the same time, the next attempt finds it, unless it is already closed. */
const MAX_ATTEMPTS = 10;

export function sqlInvitations({ engine, read, readAside, write }: StorageDatabase): Invitations {
  return {
    findOrCreatePending: (fresh, journal) =>
      unlessOrganizationUnknown({ read }, fresh.organizationId, () =>
        againAfterConflict(() => write((sql) => findOrCreatePending(sql, fresh, journal))),
      ),

    byId: (invitationId) => storedInvitation.first(read)`FROM invitations WHERE id = ${invitationId}`,

    byUserUuid: ({ organizationId, uuid }) =>
      storedInvitation.first(read)`FROM invitations
        WHERE organization_id = ${organizationId} AND user_uuid = ${uuid}`,

    async current({ organizationId, emails }) {
      const found: Invitation[] = [];
      for (const list of inLists([...new Set(emails)])) {
        const pending = await storedInvitation.all(read)`FROM invitations
          WHERE organization_id = ${organizationId} AND email IN (${list}) AND ${raw(states.pending)}`;
        const accepted = await storedInvitation.all(read)`FROM users
          JOIN memberships
            ON memberships.organization_id = ${organizationId} AND memberships.user_id = users.id
          JOIN invitations ON invitations.organization_id = memberships.organization_id
            AND invitations.user_uuid = memberships.uuid
          WHERE users.email IN (${list}) AND ${raw(states.accepted)}`;
        found.push(...pending, ...accepted);
      }
      return found;
    },

    async list({ organizationId, at, state, words, order = 'newest', offset, limit }) {
      const seen = invitationsAt(at);
      const matching = conditionsFor(engine, { organizationId, words, isNewest: true });
      const found = conditionsFor(engine, { organizationId, state, words, isNewest: true });
      const sorted = orders[order](engine);
      const aside = readAside(organizationId);
      const invitations = await listedInvitation.all(aside)`FROM ${seen} LEFT JOIN users
        ON users.id = invitations.invited_by_user_id
        WHERE ${found}
        ORDER BY ${sorted} LIMIT ${limit} OFFSET ${offset}`;
      const counts = await countsOf(aside, listedStates)`FROM ${seen} WHERE ${matching}`;
      return { total: totalOf(counts, state), counts, invitations };
    },

    find({ limit, at, ...query }) {
      const seen = invitationsAt(at);
      const found = conditionsFor(engine, query);
      return storedInvitation.all(readAside(query.organizationId))`FROM ${seen} WHERE ${found}
        ORDER BY ${NEWEST_FIRST} LIMIT ${limit}`;
    },

    async inviter({ organizationId, invitedBy }) {
      if (invitedBy?.kind !== 'user') return null;
      return storedInviter.first(read)`FROM users LEFT JOIN memberships
        ON memberships.organization_id = ${organizationId} AND memberships.user_id = users.id
          AND memberships.role = 'owner'
        WHERE users.id = ${invitedBy.userId}`;
    },

    revokeExpired: (due) => revokeExpired({ read, write }, due),

    revoke: (change, journal) =>
      write(async (sql) => {
        const revoked = await revoke(sql, change);
        if (typeof revoked === 'object') await writeJournal(sql, journal?.(revoked));
        return revoked;
      }),

    renew: (change, journal) => againAfterConflict(() => write((sql) => renew(sql, change, journal))),
  };
}

/** Revokes the invitations of one organization, or of all, that have expired by then. */
export async function revokeExpired(
  { read, write }: Pick<Database, 'read' | 'write'>,
  { organizationId, at }: { readonly organizationId?: number; readonly at: Date },
): Promise<void> {
  const due = allOf(isExpired(at), organizationId !== undefined && SQL`organization_id = ${organizationId}`);
  if (!(await exists(read)`FROM invitations WHERE ${due} LIMIT 1`)) return;
  // In one order, so that two callers never wait for each other.
  await write(
    (sql) => execute(sql)`UPDATE invitations SET revoked_at = expires_at
      WHERE id IN (SELECT id FROM invitations WHERE ${due} ORDER BY id FOR UPDATE)`,
  );
}

type Query = Omit<Parameters<Invitations['find']>[0], 'at' | 'limit'>;

function conditionsFor(engine: Engine, query: Query): SqlText {
  const { organizationId, state, email, idpId, isNewest = false, words = [], after } = query;
  return allOf(
    SQL`invitations.organization_id = ${organizationId}`,
    state !== undefined && raw(listedStates[state]),
    email !== undefined && SQL`invitations.email = ${email}`,
    idpId !== undefined && SQL`invitations.idp_id = ${idpId}`,
    isNewest && raw(isNewestOfAddress),
    containsWords(engine, searched, words),
    after !== undefined && SQL`(invitations.created_at, invitations.id) < (${after.createdAt}, ${after.id})`,
  );
}

/**
 * On PostgreSQL, two transactions can give the same `idpId` or address to two invitations at once. One of them is rolled
 * back, and the next try sees why.
 */
async function againAfterConflict<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Conflict) && !isPostgresConstraintError(error)) throw error;
    return work();
  }
}

class Conflict extends Error {}

async function findOrCreatePending(
  sql: Transaction,
  ...[fresh, journal]: Parameters<Invitations['findOrCreatePending']>
) {
  await lockAddress(sql, fresh.organizationId, fresh.email);
  if (await isMember(sql, fresh.organizationId, fresh.email)) return 'already-member';
  await lockIdpId(sql, fresh.organizationId, fresh.idpId);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const found = await pending(sql, fresh.organizationId, fresh.email);
    if (found !== null && (fresh.idpId === null || fresh.idpId === found.idpId)) return found;
    if (found !== null && found.idpId !== null) return 'other-idp-id';
    const conflict = await idpIdConflict(sql, fresh);
    if (conflict !== null) return conflict;
    const stored =
      found === null ? await storeInvitation(sql, fresh) : await addIdpId(sql, found, fresh.idpId);
    if (stored === null) continue;
    await writeJournal(sql, journal?.(stored));
    return stored;
  }
  throw new Error('others store and close the invitation all the time');
}

async function renew(sql: Transaction, ...[change, journal]: Parameters<Invitations['renew']>) {
  const { organizationId, invitationId, retiredUuid, replaces, fresh } = change;
  const known = await selectOne<{ email: string }>(sql)`SELECT email FROM invitations
    WHERE organization_id = ${organizationId} AND id = ${invitationId}`;
  if (known === undefined) return 'unknown';
  await lockAddress(sql, organizationId, known.email);
  const old = await byIdIn(sql, organizationId, invitationId);
  if (old === null) return 'unknown';
  if (old.acceptedAt !== null) return 'accepted';
  const renewed = { ...old, ...fresh, expiresAt: renewedExpiry(old, fresh) };
  if (await isMember(sql, organizationId, old.email)) return 'already-member';
  if (old.revokedAt !== null && (await pending(sql, organizationId, old.email)) !== null) return 'replaced';
  if (replaces !== undefined && ![replaces, renewed.idpId].includes(old.idpId)) return 'outdated';
  await lockIdpId(sql, organizationId, renewed.idpId);
  const conflict = await idpIdConflict(sql, renewed, { invitationId });
  if (conflict !== null) return conflict;

  // An import, which does not lock the address, may have accepted the invitation meanwhile.
  const { changes } = await execute(sql)`UPDATE invitations
    SET user_uuid = ${retiredUuid}, revoked_at = coalesce(revoked_at, ${fresh.createdAt})
    WHERE id = ${invitationId} AND user_uuid = ${old.userUuid} AND accepted_at IS NULL`;
  const stored = changes === 0 ? null : await storeInvitation(sql, renewed);
  if (stored === null) throw new Conflict('another transaction has renewed or accepted the invitation');
  await writeJournal(sql, journal?.({ ...stored, before: old }));
  return stored;
}

async function revoke(sql: Sql, { organizationId, invitationId, at }: Parameters<Invitations['revoke']>[0]) {
  const revoked = await storedInvitation.changed(sql)`UPDATE invitations SET revoked_at = ${at}
    WHERE organization_id = ${organizationId} AND id = ${invitationId} AND accepted_at IS NULL
      AND revoked_at IS NULL`;
  if (revoked !== null) return revoked;
  const closed = await byIdIn(sql, organizationId, invitationId);
  if (closed === null) return 'unknown';
  return invitationState(closed) === 'accepted' ? 'accepted' : 'revoked';
}

function byIdIn(sql: Sql, organizationId: number, invitationId: string): Promise<Invitation | null> {
  return storedInvitation.first(sql)`FROM invitations
    WHERE organization_id = ${organizationId} AND id = ${invitationId}`;
}

function isMember(sql: Sql, organizationId: number, email: string) {
  return exists(sql)`FROM memberships JOIN users ON users.id = memberships.user_id
    WHERE memberships.organization_id = ${organizationId} AND users.email = ${email}`;
}

export function pending(sql: Sql, organizationId: number, email: string): Promise<Invitation | null> {
  return storedInvitation.first(sql)`FROM invitations
    WHERE organization_id = ${organizationId} AND email = ${email} AND accepted_at IS NULL
      AND revoked_at IS NULL`;
}

/** Gives the invitation an `idpId`. Null when another transaction has just given it one or closed it. */
function addIdpId(sql: Sql, { id }: Invitation, idpId: string | null) {
  return storedInvitation.changed(sql)`UPDATE invitations SET idp_id = ${idpId}
    WHERE id = ${id} AND idp_id IS NULL AND accepted_at IS NULL AND revoked_at IS NULL`;
}

/** Stores an invitation. Null when another transaction has just stored one for the address or with the `idpId`. */
export function storeInvitation(sql: Sql, fresh: NewInvitation): Promise<Invitation | null> {
  const [invitedBy, invitedByUserId] = fresh.invitedBy === null ? [null, null] : whoValues(fresh.invitedBy);
  const open = { acceptedAt: null, revokedAt: null };
  const inserted = fields.insert({ ...fresh, ...open, invitedBy, invitedByUserId });
  return storedInvitation.changed(sql)`${inserted} ON CONFLICT DO NOTHING`;
}
