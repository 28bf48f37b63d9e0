import type { Bulk } from '../engine/database.js';
import { DatasetError } from './dataset.js';
import { changesIdentity, type Identities, identityChecks } from './import-people.js';
import { MAX_PLATFORM_NUMBER } from './platform-numbers.js';
import { kinds, type Staged } from './staged-kinds.js';

interface Offence {
  readonly line: number;
  /** The id for the message. */
  readonly id: number;
}

interface Check<Found extends Offence = Offence> {
  /** The table whose staged records are checked. Without any, the check finds nothing. */
  readonly table: string;
  readonly field: string;
  /** Selects the offending lines. */
  readonly text: string;
  readonly message: (found: Found) => string;
}

/** Throws for the first line that refers to a missing record, or that has a unique value of another record. */
export async function checkStaged(bulk: Bulk, staged: Staged): Promise<void> {
  const filled = Object.values(staged).filter(({ stored, removes }) => stored > 0 || removes);
  const tables = new Set(filled.map(({ table }) => table));
  const ofIdentity = tables.has('users') && (await changesIdentity(bulk)) ? identityChecks : [];
  const all: readonly Check<Identities>[] = [...checks, ...ofIdentity];
  let first: { readonly line: number; readonly field: string; readonly message: string } | null = null;
  for (const { table, field, text, message } of all) {
    if (!tables.has(table)) continue;
    const found = await bulk.get<Identities>(`${text} ORDER BY 1 LIMIT 1`);
    if (found === undefined || (first !== null && first.line <= found.line)) continue;
    first = { line: found.line, field, message: message(found) };
  }
  if (first !== null) throw new DatasetError(first, first.message);
}

const references = [
  ['memberships', 'organization_id', 'organizations', 'organization'],
  ['memberships', 'user_id', 'users', 'user'],
  ['meetings', 'organization_id', 'organizations', 'organization'],
  ['meetings', 'group_leader_id', 'users', 'user'],
  ['registrations', 'meeting_id', 'meetings', 'meeting'],
  ['registrations', 'user_id', 'users', 'user'],
  ['waitlist_entries', 'meeting_id', 'meetings', 'meeting'],
  ['waitlist_entries', 'user_id', 'users', 'user'],
] as const;

/** A record exists if the dataset has it and does not remove it, or if it is stored and not in the dataset. */
const missing = 'coalesce(target.deleted, stored.id IS NULL)';

const referenceChecks = references.map(([table, field, target, word]) => ({
  table,
  field,
  text: `SELECT staged.line, staged.${field} AS id
    FROM staged_${table} AS staged
    LEFT JOIN staged_${target} AS target ON target.id = staged.${field}
    LEFT JOIN ${target} AS stored ON stored.id = staged.${field}
    WHERE NOT staged.deleted AND staged.${field} IS NOT NULL AND ${missing}`,
  message: ({ id }: Offence) => `there is no ${word} ${id}`,
}));

const tieCheck: Check = {
  table: 'meetings',
  field: 'eap_organization_ids',
  text: `SELECT staged.line, staged.organization_id AS id
    FROM staged_ties AS staged
    JOIN staged_meetings ON staged_meetings.id = staged.meeting_id AND staged_meetings.line = staged.line
    LEFT JOIN staged_organizations AS target ON target.id = staged.organization_id
    LEFT JOIN organizations AS stored ON stored.id = staged.organization_id
    WHERE ${missing}`,
  message: ({ id }) => `there is no organization ${id}`,
};

const removals = [
  ['users', 'group_leader_id'],
  ['organizations', 'organization_id'],
] as const;

/** Meetings in the dataset are left out, because their own lines are checked. */
const removalChecks = removals.map(([table, field]) => ({
  table,
  field: 'deleted',
  text: `SELECT staged.line, meetings.id
    FROM staged_${table} AS staged CROSS JOIN meetings ON meetings.${field} = staged.id
    LEFT JOIN staged_meetings ON staged_meetings.id = meetings.id
    WHERE staged.deleted AND staged_meetings.id IS NULL`,
  message: ({ id }: Offence) => `cannot be removed: meeting ${id} still refers to it`,
}));

interface Unique {
  readonly kind: 'user' | 'organization' | 'membership';
  /** The columns that no two records share. The last one may be null, which is shared by any number. */
  readonly columns: readonly [string, ...string[]];
  readonly field: string;
  readonly message: (found: Offence) => string;
  /** Which stored records count, besides those that the dataset does not have. */
  readonly where?: string;
}

const uniques: readonly Unique[] = [
  ...(['uuid', 'email'] as const).map((field) => ({
    ...{ kind: 'user' as const, columns: [field] as const, field },
    message: ({ id }: Offence) => `user ${id} has the same`,
  })),
  {
    ...{ kind: 'organization', columns: ['access_key_hash'], field: 'access_key' },
    message: ({ id }) => `organization ${id} has the same`,
  },
  {
    ...{ kind: 'membership', columns: ['organization_id', 'idp_id'], field: 'idp_id' },
    message: ({ id }) => `user ${id} has the same in the organization`,
    where: 'AND other.user_id NOT IN (SELECT id FROM staged_users WHERE deleted)',
  },
];

const uniqueChecks = uniques.flatMap(({ kind, columns, field, message, where = '' }) => {
  const { table, key } = kinds[kind];
  const id = key.at(-1);
  const same = (one: string, other: string, names: readonly string[]): string =>
    names.map((name) => `${one}.${name} = ${other}.${name}`).join(' AND ');
  const stored = `SELECT staged.line, other.${id} AS id
    FROM staged_${table} AS staged JOIN ${table} AS other ON ${same('other', 'staged', columns)}
    LEFT JOIN staged_${table} AS changed ON ${same('changed', 'other', key)}
    WHERE NOT staged.deleted AND other.${id} <> staged.${id} AND changed.${id} IS NULL ${where}`;
  const staged = `SELECT twice.line, (
      SELECT ${id} FROM staged_${table} AS other
      WHERE ${same('other', 'twice', columns)} AND other.line <> twice.line AND NOT other.deleted
      ORDER BY other.line LIMIT 1
    ) AS id
    FROM (
      SELECT ${columns.join(', ')}, max(line) AS line FROM staged_${table}
      WHERE NOT deleted AND ${columns.at(-1)} IS NOT NULL
      GROUP BY ${columns.join(', ')} HAVING count(*) > 1 ORDER BY max(line) LIMIT 1
    ) AS twice`;
  return [stored, staged].map((text) => ({ table, field, text, message }));
});

const ownNumberChecks = ['organizations', 'users'].map((table) => ({
  table,
  field: 'id',
  text: `SELECT staged.line, staged.id
    FROM staged_${table} AS staged LEFT JOIN ${table} AS stored ON stored.id = staged.id
    WHERE staged.id > ${MAX_PLATFORM_NUMBER} AND NOT staged.deleted AND stored.id IS NULL`,
  message: () => `must be at most ${MAX_PLATFORM_NUMBER}: numbers above are given by Rollcall`,
}));

const receivedUuidCheck: Check = {
  table: 'users',
  field: 'uuid',
  text: `SELECT staged.line, told.user_id AS id
    FROM staged_users AS staged JOIN told_uuids AS told ON told.uuid = staged.uuid
    WHERE NOT staged.deleted AND told.user_id <> staged.id`,
  message: ({ id }) => `user ${id} has the same: an organization knows them by it`,
};

const invitedMessage = ({ id }: Offence) =>
  `belongs to a pending invitation for another address than that of user ${id}: revoke the invitation first`;

/** With the UUID taken by another account, the invited person could not accept. */
const invitedUuidCheck: Check = {
  table: 'users',
  field: 'uuid',
  text: `SELECT staged.line, staged.id
    FROM invitations JOIN staged_users AS staged ON staged.uuid = invitations.user_uuid
    LEFT JOIN users AS stored ON stored.uuid = staged.uuid
    WHERE invitations.accepted_at IS NULL AND invitations.revoked_at IS NULL
      AND NOT staged.deleted AND staged.email <> invitations.email AND stored.id IS NULL`,
  message: invitedMessage,
};

/** With the id taken by another member, the invited person would join without one. */
const invitedIdpIdCheck: Check = {
  table: 'memberships',
  field: 'idp_id',
  text: `SELECT staged.line, staged.user_id AS id
    FROM invitations
    JOIN staged_memberships AS staged
      ON staged.organization_id = invitations.organization_id AND staged.idp_id = invitations.idp_id
    LEFT JOIN staged_users AS changed ON changed.id = staged.user_id
    LEFT JOIN users AS stored ON stored.id = staged.user_id
    WHERE invitations.accepted_at IS NULL AND invitations.revoked_at IS NULL
      AND NOT staged.deleted AND coalesce(changed.email, stored.email) <> invitations.email`,
  message: invitedMessage,
};

const checks: readonly Check[] = [
  ...ownNumberChecks,
  receivedUuidCheck,
  invitedUuidCheck,
  ...referenceChecks,
  tieCheck,
  ...removalChecks,
  ...uniqueChecks,
  invitedIdpIdCheck,
];
