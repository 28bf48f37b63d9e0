import type { SignOn, SignOnSettings, SignOns } from '@rollcall/core';
import { type Database, lock, type Sql } from '../engine/database.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { writeJournal } from './journal.js';
import { storedSignOn } from './sign-on-row.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';

export function sqlSignOns({ read, write }: StorageDatabase): SignOns {
  return {
    of: (organizationId) => signOnOf(read, organizationId),

    async save(organizationId, decide, journal) {
      const saved = await unlessOrganizationUnknown({ read }, organizationId, () =>
        write(async (sql) => {
          // Before the first settings there is no row.
          await lock(sql, 'SELECT 1 FROM organizations WHERE id = ? FOR NO KEY UPDATE', [organizationId]);
          // Moving the secret to another key, a link and a new session lock this row only.
          await lock(sql, 'SELECT 1 FROM sign_on WHERE organization_id = ? FOR NO KEY UPDATE', [
            organizationId,
          ]);
          const before = await signOnOf(sql, organizationId);
          const after = await store(sql, organizationId, decide(before));
          const isOther = before !== null && before.issuer !== after.issuer;
          if (isOther) await sql.run('DELETE FROM identities WHERE organization_id = ?', [organizationId]);
          if (isOther || !after.isOn) await endSignedOn(sql, organizationId);
          await writeJournal(sql, journal?.(after));
          return after;
        }),
      );
      return saved === 'unknown-organization' ? null : saved;
    },

    remove: (organizationId, journal) =>
      write(async (sql) => {
        const removed = await storedSignOn.changed(sql, 'DELETE FROM sign_on WHERE organization_id = ?', [
          organizationId,
        ]);
        if (removed === null) return false;
        await sql.run('DELETE FROM identities WHERE organization_id = ?', [organizationId]);
        await endSignedOn(sql, organizationId);
        await writeJournal(sql, journal?.(removed));
        return true;
      }),

    async opens({ organizationId, userId }) {
      const row = await read.get<{ needed: unknown }>(
        `SELECT needs_sign_on OR coalesce(is_on AND is_required, false) AS needed
        FROM memberships LEFT JOIN sign_on ON sign_on.organization_id = memberships.organization_id
        WHERE memberships.organization_id = ? AND memberships.user_id = ?`,
        [organizationId, userId],
      );
      return row?.needed ? 'sign-on' : 'any';
    },
  };
}

/** How many organizations whose sign-on is on have a client secret that expires on this day, such as `2027-01-31`, or before. */
export async function expiringSignOns({ read }: Pick<Database, 'read'>, day: string): Promise<number> {
  const row = await read.get<{ count: number }>(
    'SELECT count(*) AS count FROM sign_on WHERE is_on AND secret_expires_on <= ?',
    [day],
  );
  return Number(row?.count ?? 0);
}

function signOnOf(sql: Sql, organizationId: number): Promise<SignOn | null> {
  return storedSignOn.first(sql, 'FROM sign_on WHERE organization_id = ?', [organizationId]);
}

async function endSignedOn(sql: Sql, organizationId: number): Promise<void> {
  await sql.run(`DELETE FROM sessions WHERE bound_to = ? AND started_by = 'sign-on'`, [organizationId]);
}

async function store(sql: Sql, organizationId: number, settings: SignOnSettings): Promise<SignOn> {
  const signOn = await storedSignOn.changed(
    sql,
    `INSERT INTO sign_on (organization_id, issuer, client_id, sealed_secret, id_claim, hosted_domain, admits, acr,
      is_on, is_required, secret_expires_on, tested_at, tested_by, changed_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (organization_id) DO UPDATE SET
      issuer = excluded.issuer, client_id = excluded.client_id, sealed_secret = excluded.sealed_secret,
      id_claim = excluded.id_claim, hosted_domain = excluded.hosted_domain, admits = excluded.admits,
      acr = excluded.acr, is_on = excluded.is_on, is_required = excluded.is_required,
      secret_expires_on = excluded.secret_expires_on, tested_at = excluded.tested_at,
      tested_by = excluded.tested_by, changed_at = excluded.changed_at`,
    [
      organizationId,
      settings.issuer,
      settings.clientId,
      settings.encryptedSecret,
      settings.idClaim,
      settings.hostedDomain,
      settings.admits,
      settings.acr,
      settings.isOn,
      settings.isRequired,
      settings.secretExpiresOn,
      settings.tested?.at ?? null,
      settings.tested?.by ?? null,
      settings.changedAt,
    ],
  );
  if (signOn === null) throw new Error('sign-on was not stored');
  return signOn;
}
