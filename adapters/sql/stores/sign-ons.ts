import type { SignOn, SignOnSettings, SignOns } from '@rollcall/core';
import type { Database, Sql } from '../engine/database.js';
import { countOf, execute, lock, selectOne } from '../engine/statements.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';
import { lockOrganization } from './locks.js';
import { signOnFields, storedSignOn } from './sign-on-row.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';

export function sqlSignOns({ read, write }: StorageDatabase): SignOns {
  return {
    of: (organizationId) => signOnOf(read, organizationId),

    async save(organizationId, decide, journal) {
      const saved = await unlessOrganizationUnknown({ read }, organizationId, () =>
        write(async (sql) => {
          // Before the first settings there is no row.
          await lockOrganization(sql, organizationId);
          // Moving the secret to another key, a link and a new session lock this row only.
          await lock(sql)`SELECT 1 FROM sign_on WHERE organization_id = ${organizationId} FOR NO KEY UPDATE`;
          const before = await signOnOf(sql, organizationId);
          const after = await store(sql, organizationId, decide(before));
          const isOther = before !== null && before.issuer !== after.issuer;
          if (isOther) await execute(sql)`DELETE FROM identities WHERE organization_id = ${organizationId}`;
          if (isOther || !after.isOn) await endSignedOn(sql, organizationId);
          await writeJournal(sql, journal?.(after));
          return after;
        }),
      );
      return saved === 'unknown-organization' ? null : saved;
    },

    remove: (organizationId, journal) =>
      write(async (sql) => {
        const removed = await storedSignOn.changed(sql)`DELETE FROM sign_on
          WHERE organization_id = ${organizationId}`;
        if (removed === null) return false;
        await execute(sql)`DELETE FROM identities WHERE organization_id = ${organizationId}`;
        await endSignedOn(sql, organizationId);
        await writeJournal(sql, journal?.(removed));
        return true;
      }),

    async opens({ organizationId, userId }) {
      const row = await selectOne<{ needed: unknown }>(read)`
        SELECT needs_sign_on OR coalesce(is_on AND is_required, false) AS needed
        FROM memberships LEFT JOIN sign_on ON sign_on.organization_id = memberships.organization_id
        WHERE memberships.organization_id = ${organizationId} AND memberships.user_id = ${userId}`;
      return row?.needed ? 'sign-on' : 'any';
    },
  };
}

/** How many organizations whose sign-on is on have a client secret that expires on this day, such as `2027-01-31`, or before. */
export async function expiringSignOns({ read }: Pick<Database, 'read'>, day: string): Promise<number> {
  return countOf(read)`FROM sign_on WHERE is_on AND secret_expires_on <= ${day}`;
}

function signOnOf(sql: Sql, organizationId: number): Promise<SignOn | null> {
  return storedSignOn.first(sql)`FROM sign_on WHERE organization_id = ${organizationId}`;
}

async function endSignedOn(sql: Sql, organizationId: number): Promise<void> {
  await execute(sql)`DELETE FROM sessions WHERE bound_to = ${organizationId} AND started_by = 'sign-on'`;
}

async function store(sql: Sql, organizationId: number, settings: SignOnSettings): Promise<SignOn> {
  const { encryptedSecret: sealedSecret, tested, ...others } = settings;
  const test = { testedAt: tested?.at ?? null, testedBy: tested?.by ?? null };
  const row = { ...others, organizationId, sealedSecret, ...test };
  const signOn = await storedSignOn.changed(sql)(signOnFields.replace(row));
  if (signOn === null) throw new Error('sign-on was not stored');
  return signOn;
}
