import type { AddedFactor, FactorChange, SecondFactors, StoredSecondFactor } from '@rollcall/core';
import { maxPasskeys } from '@rollcall/core/adapters';
import type { EngineSql, Sql } from '../engine/database.js';
import { allOf, type Condition, inLists, raw, SQL } from '../engine/sql-text.js';
import { changesOne, countOf, execute, exists, writeOne } from '../engine/statements.js';
import { storedIn } from '../engine/stored.js';
import type { StorageDatabase } from '../outbox/waiting-deliveries.js';
import { holdsFactor } from './holds-factor.js';
import { writeJournal } from './journal.js';
import { lockUser } from './locks.js';
import { startedByPassword } from './session-row.js';
import { storedUser } from './user-row.js';
import { organizationsOf } from './users.js';

const storedPasskey = storedIn('passkeys', {
  ...{ credentialId: 'text', publicKey: 'text', counter: 'whole', isBackedUp: 'flag', name: 'text' },
  ...{ createdAt: 'time', usedAt: 'timeOrNull' },
  transports: (stored: string): readonly string[] => stored.split(',').filter((one) => one !== ''),
});

const storedCode = storedIn('code_secrets', {
  ...{ encryptedSecret: ['sealed_secret', 'text'], confirmedAt: 'timeOrNull' },
});

export function sqlSecondFactors({ read, write }: StorageDatabase): SecondFactors {
  return {
    of: (userId) => secondFactorOf(read, userId),

    addPasskey: ({ userId, session, recoveryHashes, at, ...passkey }, journal) =>
      write(async (sql) => {
        const change = await changeOf(sql, userId);
        if (change === null) return 'unknown-user';
        const { credentialId } = passkey;
        if (await exists(sql)`FROM passkeys WHERE credential_id = ${credentialId}`) return 'registered';
        if ((await countOf(sql)`FROM passkeys WHERE user_id = ${userId}`) >= maxPasskeys) return 'too-many';
        const { changes } = await execute(sql)`INSERT INTO passkeys
            (credential_id, user_id, public_key, counter, transports, is_backed_up, name, created_at)
          VALUES (${credentialId}, ${userId}, ${passkey.publicKey}, ${passkey.counter},
            ${passkey.transports.join()}, ${passkey.isBackedUp}, ${passkey.name}, ${at}) ON CONFLICT
            DO NOTHING`;
        // Another user has added it at the same time.
        if (changes === 0) return 'registered';
        if (change.isOnly) await startRequiring(sql, { userId, session, recoveryHashes });
        await writeJournal(sql, journal?.(change));
        return change;
      }),

    usePasskey: ({ userId, credentialId, counter, isBackedUp, askedAt, at }) =>
      writeOne(write)`UPDATE passkeys
          SET counter = ${counter}, is_backed_up = ${isBackedUp}, used_at = ${at}
          WHERE credential_id = ${credentialId} AND user_id = ${userId} AND (used_at IS NULL
            OR used_at <= ${askedAt})
            AND (counter < ${counter} OR (counter = 0 AND ${counter} = 0))`,

    namePasskey: ({ userId, credentialId, name }) =>
      writeOne(write)`UPDATE passkeys SET name = ${name}
          WHERE credential_id = ${credentialId} AND user_id = ${userId}`,

    setCode: ({ userId, encryptedSecret }) =>
      write(async (sql) => {
        if (!(await exists(sql)`FROM users WHERE id = ${userId} FOR KEY SHARE`)) return false;
        return changesOne(sql)`INSERT INTO code_secrets (user_id, sealed_secret, last_step)
          VALUES (${userId}, ${encryptedSecret}, 0)
          ON CONFLICT (user_id) DO UPDATE SET sealed_secret = excluded.sealed_secret
            WHERE code_secrets.confirmed_at IS NULL`;
      }),

    confirmCode: ({ userId, encryptedSecret, step, session, recoveryHashes, at }, journal) =>
      write(async (sql) => {
        const change = await changeOf(sql, userId);
        const { changes } = await execute(sql)`UPDATE code_secrets
          SET confirmed_at = ${at}, last_step = ${step}
          WHERE user_id = ${userId} AND sealed_secret = ${encryptedSecret} AND confirmed_at IS NULL`;
        if (change === null || changes === 0) return null;
        if (change.isOnly) await startRequiring(sql, { userId, session, recoveryHashes });
        await writeJournal(sql, journal?.(change));
        return change;
      }),

    useCode: ({ userId, step }) =>
      writeOne(write)`UPDATE code_secrets SET last_step = ${step}
          WHERE user_id = ${userId} AND last_step < ${step} AND confirmed_at IS NOT NULL`,

    useRecoveryCode: ({ userId, hashes }) =>
      write(async (sql) => {
        let used = 0;
        for (const list of inLists(hashes)) {
          const { changes } = await execute(sql)`DELETE FROM recovery_codes
            WHERE user_id = ${userId} AND hash IN (${list})`;
          used += changes;
        }
        return used > 0;
      }),

    setRecoveryCodes: ({ userId, hashes }) =>
      write(async (sql) => {
        const change = await changeOf(sql, userId);
        if (change === null || change.isOnly) return false;
        await storeRecoveryCodes(sql, userId, hashes);
        return true;
      }),

    remove: ({ userId, factor }, journal) =>
      write(async (sql) => {
        const change = await changeOf(sql, userId);
        if (change === null || change.isOnly) return null;
        let removed = 0;
        const removeFrom = async (table: 'passkeys' | 'code_secrets', condition: Condition) => {
          const own = allOf(SQL`user_id = ${userId}`, condition);
          removed += (await execute(sql)`DELETE FROM ${raw(table)} WHERE ${own}`).changes;
        };
        if (factor === 'everything') await removeFrom('passkeys', false);
        else if (factor !== 'code') await removeFrom('passkeys', SQL`credential_id = ${factor.credentialId}`);
        if (typeof factor === 'string') await removeFrom('code_secrets', raw('confirmed_at IS NOT NULL'));
        if (removed === 0) return null;
        const isOnly = !(await holdsFactor(sql, userId));
        if (isOnly) {
          for (const table of ['code_secrets', 'recovery_codes'])
            await execute(sql)`DELETE FROM ${raw(table)} WHERE user_id = ${userId}`;
          if (factor === 'everything')
            await execute(sql)`DELETE FROM sessions WHERE user_id = ${userId} AND ${raw(startedByPassword)}`;
          await execute(sql)`UPDATE sessions SET has_second_factor = false WHERE user_id = ${userId}`;
        }
        const done = { ...change, isOnly };
        await writeJournal(sql, journal?.(done));
        return done;
      }),

    async isRequired(organizationId) {
      return exists(read)`FROM organizations WHERE id = ${organizationId} AND requires_second_factor`;
    },

    require: ({ organizationId, isRequired, userId }, journal) =>
      write(async (sql) => {
        // Organizations are locked before users, as everywhere.
        const isKnown = await exists(sql)`FROM organizations WHERE id = ${organizationId} FOR NO KEY UPDATE`;
        if (!isKnown) return 'unknown-organization';
        await lockUser(sql, userId);
        if (!(await holdsFactor(sql, userId))) return 'no-second-factor';
        const { changes } = await execute(sql)`UPDATE organizations
          SET requires_second_factor = ${isRequired}
          WHERE id = ${organizationId} AND requires_second_factor <> ${isRequired}`;
        if (changes === 1) await writeJournal(sql, journal?.({ isRequired }));
        return 'done';
      }),
  };
}

export async function secondFactorOf(sql: Sql, userId: number): Promise<StoredSecondFactor> {
  return {
    passkeys: await storedPasskey.all(sql)`FROM passkeys WHERE user_id = ${userId}
      ORDER BY created_at, credential_id`,
    code: await storedCode.first(sql)`FROM code_secrets WHERE user_id = ${userId}`,
    recoveryCodes: await countOf(sql)`FROM recovery_codes WHERE user_id = ${userId}`,
  };
}

/** What a change will tell, behind the lock of the user; `isOnly`: they have no second factor yet. Null: no user. */
async function changeOf(sql: EngineSql, userId: number): Promise<FactorChange | null> {
  await lockUser(sql, userId);
  const user = await storedUser.first(sql)`FROM users WHERE id = ${userId}`;
  if (user === null) return null;
  const isOnly = !(await holdsFactor(sql, userId));
  return { user, isOnly, organizationIds: await organizationsOf(sql, userId) };
}

/** What follows from the first second factor. */
async function startRequiring(
  sql: Sql,
  { userId, session, recoveryHashes: hashes }: Omit<AddedFactor, 'at'>,
): Promise<void> {
  await storeRecoveryCodes(sql, userId, hashes);
  await execute(sql)`DELETE FROM sessions
    WHERE user_id = ${userId} AND hash <> ${session} AND ${raw(startedByPassword)}`;
  await execute(sql)`UPDATE sessions SET has_second_factor = true
    WHERE user_id = ${userId} AND hash = ${session}`;
}

async function storeRecoveryCodes(sql: Sql, userId: number, hashes: readonly string[]): Promise<void> {
  await execute(sql)`DELETE FROM recovery_codes WHERE user_id = ${userId}`;
  for (const hash of hashes)
    await execute(sql)`INSERT INTO recovery_codes (user_id, hash) VALUES (${userId}, ${hash})`;
}
