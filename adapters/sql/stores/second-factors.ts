import type { AddedFactor, FactorChange, SecondFactors, StoredSecondFactor } from '@rollcall/core';
import { maxPasskeys } from '@rollcall/core/adapters';
import { countOf, type EngineSql, exists, inLists, lock, type Sql } from '../engine/database.js';
import { flag, storedIn, text, time, timeOrNull, whole } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { holdsFactor } from './holds-factor.js';
import { writeJournal } from './journal.js';
import { startedByPassword } from './session-row.js';
import { storedUser } from './user-row.js';
import { organizationsOf } from './users.js';

const storedPasskey = storedIn('passkeys', {
  ...{ credentialId: text, publicKey: text, counter: whole, isBackedUp: flag, name: text },
  ...{ createdAt: time, usedAt: timeOrNull },
  transports: (stored: string): readonly string[] => stored.split(',').filter((one) => one !== ''),
});

const storedCode = storedIn(
  'code_secrets',
  { encryptedSecret: text, confirmedAt: timeOrNull },
  { names: { encryptedSecret: 'sealed_secret' } },
);

export function sqlSecondFactors({ read, write }: StorageDatabase): SecondFactors {
  return {
    of: (userId) => secondFactorOf(read, userId),

    addPasskey: ({ userId, session, recoveryHashes, at, ...passkey }, journal) =>
      write(async (sql) => {
        const change = await changeOf(sql, userId);
        if (change === null) return 'unknown-user';
        const { credentialId } = passkey;
        if (await exists(sql, 'FROM passkeys WHERE credential_id = ?', [credentialId])) return 'registered';
        if ((await countOf(sql, 'FROM passkeys WHERE user_id = ?', [userId])) >= maxPasskeys)
          return 'too-many';
        const { changes } = await sql.run(
          `INSERT INTO passkeys
            (credential_id, user_id, public_key, counter, transports, is_backed_up, name, created_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          [
            ...[credentialId, userId, passkey.publicKey, passkey.counter, passkey.transports.join()],
            ...[passkey.isBackedUp, passkey.name, at],
          ],
        );
        // Another user has added it at the same time.
        if (changes === 0) return 'registered';
        if (change.isOnly) await startRequiring(sql, { userId, session, recoveryHashes });
        await writeJournal(sql, journal?.(change));
        return change;
      }),

    usePasskey: ({ userId, credentialId, counter, isBackedUp, askedAt, at }) =>
      write(async (sql) => {
        const { changes } = await sql.run(
          `UPDATE passkeys SET counter = ?, is_backed_up = ?, used_at = ?
          WHERE credential_id = ? AND user_id = ? AND (used_at IS NULL OR used_at <= ?)
            AND (counter < ? OR (counter = 0 AND ? = 0))`,
          [counter, isBackedUp, at, credentialId, userId, askedAt, counter, counter],
        );
        return changes === 1;
      }),

    namePasskey: ({ userId, credentialId, name }) =>
      write(async (sql) => {
        const { changes } = await sql.run(
          'UPDATE passkeys SET name = ? WHERE credential_id = ? AND user_id = ?',
          [name, credentialId, userId],
        );
        return changes === 1;
      }),

    setCode: ({ userId, encryptedSecret }) =>
      write(async (sql) => {
        if (!(await exists(sql, 'FROM users WHERE id = ? FOR KEY SHARE', [userId]))) return false;
        const { changes } = await sql.run(
          `INSERT INTO code_secrets (user_id, sealed_secret, last_step) VALUES (?, ?, 0)
          ON CONFLICT (user_id) DO UPDATE SET sealed_secret = excluded.sealed_secret
            WHERE code_secrets.confirmed_at IS NULL`,
          [userId, encryptedSecret],
        );
        return changes === 1;
      }),

    confirmCode: ({ userId, encryptedSecret, step, session, recoveryHashes, at }, journal) =>
      write(async (sql) => {
        const change = await changeOf(sql, userId);
        const { changes } = await sql.run(
          `UPDATE code_secrets SET confirmed_at = ?, last_step = ?
          WHERE user_id = ? AND sealed_secret = ? AND confirmed_at IS NULL`,
          [at, step, userId, encryptedSecret],
        );
        if (change === null || changes === 0) return null;
        if (change.isOnly) await startRequiring(sql, { userId, session, recoveryHashes });
        await writeJournal(sql, journal?.(change));
        return change;
      }),

    useCode: ({ userId, step }) =>
      write(async (sql) => {
        const { changes } = await sql.run(
          `UPDATE code_secrets SET last_step = ?
          WHERE user_id = ? AND last_step < ? AND confirmed_at IS NOT NULL`,
          [step, userId, step],
        );
        return changes === 1;
      }),

    useRecoveryCode: ({ userId, hashes }) =>
      write(async (sql) => {
        let used = 0;
        for (const list of inLists(hashes)) {
          const { changes } = await sql.run(
            `DELETE FROM recovery_codes WHERE user_id = ? AND hash IN (${list.placeholders})`,
            [userId, ...list.values],
          );
          used += changes;
        }
        return used > 0;
      }),

    setRecoveryCodes: ({ userId, hashes }) =>
      write(async (sql) => {
        const change = await changeOf(sql, userId);
        if (change === null || change.isOnly) return false;
        await storeRecoveryCodes(sql, { userId, hashes });
        return true;
      }),

    remove: ({ userId, factor }, journal) =>
      write(async (sql) => {
        const change = await changeOf(sql, userId);
        if (change === null || change.isOnly) return null;
        let removed = 0;
        const run = async (statement: string, values: readonly (string | number)[] = []) => {
          removed += (await sql.run(statement, [userId, ...values])).changes;
        };
        if (factor === 'everything') await run('DELETE FROM passkeys WHERE user_id = ?');
        else if (factor !== 'code')
          await run('DELETE FROM passkeys WHERE user_id = ? AND credential_id = ?', [factor.credentialId]);
        if (typeof factor === 'string')
          await run('DELETE FROM code_secrets WHERE user_id = ? AND confirmed_at IS NOT NULL');
        if (removed === 0) return null;
        const isOnly = !(await holdsFactor(sql, userId));
        if (isOnly) {
          for (const table of ['code_secrets', 'recovery_codes'])
            await sql.run(`DELETE FROM ${table} WHERE user_id = ?`, [userId]);
          if (factor === 'everything')
            await sql.run(`DELETE FROM sessions WHERE user_id = ? AND ${startedByPassword}`, [userId]);
          await sql.run('UPDATE sessions SET has_second_factor = false WHERE user_id = ?', [userId]);
        }
        const done = { ...change, isOnly };
        await writeJournal(sql, journal?.(done));
        return done;
      }),

    async isRequired(organizationId) {
      return exists(read, 'FROM organizations WHERE id = ? AND requires_second_factor', [organizationId]);
    },

    require: ({ organizationId, isRequired, userId }, journal) =>
      write(async (sql) => {
        // Organizations are locked before users, as everywhere.
        const from = 'FROM organizations WHERE id = ? FOR NO KEY UPDATE';
        if (!(await exists(sql, from, [organizationId]))) return 'unknown-organization';
        await lockUser(sql, userId);
        if (!(await holdsFactor(sql, userId))) return 'no-second-factor';
        const { changes } = await sql.run(
          'UPDATE organizations SET requires_second_factor = ? WHERE id = ? AND requires_second_factor <> ?',
          [isRequired, organizationId, isRequired],
        );
        if (changes === 1) await writeJournal(sql, journal?.({ isRequired }));
        return 'done';
      }),
  };
}

export async function secondFactorOf(sql: Sql, userId: number): Promise<StoredSecondFactor> {
  return {
    passkeys: await storedPasskey.all(
      sql,
      'FROM passkeys WHERE user_id = ? ORDER BY created_at, credential_id',
      [userId],
    ),
    code: await storedCode.first(sql, 'FROM code_secrets WHERE user_id = ?', [userId]),
    recoveryCodes: await countOf(sql, 'FROM recovery_codes WHERE user_id = ?', [userId]),
  };
}

async function lockUser(sql: EngineSql, userId: number): Promise<void> {
  await lock(sql, 'SELECT 1 FROM users WHERE id = ? FOR NO KEY UPDATE', [userId]);
}

/** What a change will tell, behind the lock of the user; `isOnly`: they have no second factor yet. Null: no user. */
async function changeOf(sql: EngineSql, userId: number): Promise<FactorChange | null> {
  await lockUser(sql, userId);
  const user = await storedUser.first(sql, 'FROM users WHERE id = ?', [userId]);
  if (user === null) return null;
  const isOnly = !(await holdsFactor(sql, userId));
  return { user, isOnly, organizationIds: await organizationsOf(sql, userId) };
}

/** What follows from the first second factor. */
async function startRequiring(
  sql: Sql,
  { userId, session, recoveryHashes: hashes }: Omit<AddedFactor, 'at'>,
): Promise<void> {
  await storeRecoveryCodes(sql, { userId, hashes });
  await sql.run(`DELETE FROM sessions WHERE user_id = ? AND hash <> ? AND ${startedByPassword}`, [
    userId,
    session,
  ]);
  await sql.run('UPDATE sessions SET has_second_factor = true WHERE user_id = ? AND hash = ?', [
    userId,
    session,
  ]);
}

async function storeRecoveryCodes(
  sql: Sql,
  { userId, hashes }: { readonly userId: number; readonly hashes: readonly string[] },
): Promise<void> {
  await sql.run('DELETE FROM recovery_codes WHERE user_id = ?', [userId]);
  for (const hash of hashes)
    await sql.run('INSERT INTO recovery_codes (user_id, hash) VALUES (?, ?)', [userId, hash]);
}
