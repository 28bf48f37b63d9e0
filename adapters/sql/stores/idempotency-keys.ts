import type { IdempotencyKeys, KeptAnswer } from '@rollcall/core';
import type { Database, Sql } from '../engine/database.js';
import { SQL } from '../engine/sql-text.js';
import { changesOne, execute, exists, selectOne } from '../engine/statements.js';
import { keptCalls } from './kept-calls.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';

const isCall = ({ organizationId, operation, key }: Omit<KeptAnswer, 'run' | 'encryptedAnswer'>) =>
  SQL`organization_id = ${organizationId} AND operation = ${operation} AND key = ${key}`;

export function sqlIdempotencyKeys(database: Database): IdempotencyKeys {
  const { read, write } = database;
  // A call is begun and abandoned without the standbys: the transaction that does its work comes later, and waits for both.
  const minor = { isMinor: true };
  const kept = keptCalls(database);
  return {
    begin: ({ fingerprint, run, at, cutOffBefore, forgottenBefore, ...call }) =>
      unlessOrganizationUnknown(database, call.organizationId, async () => {
        const { organizationId, operation, key } = call;
        const oldestAt = await kept.oldestIfFull(organizationId, { forgottenBefore, ...call });
        const known = SQL`FROM idempotency_keys WHERE ${isCall(call)} AND begun_at >= ${forgottenBefore}`;
        if (oldestAt !== null && !(await exists(read)(known))) return { oldestAt };
        // Of several callers at once, the primary key lets one insert and the condition lets one take over.
        const { changes } = await write(
          (sql) =>
            execute(sql)`INSERT INTO idempotency_keys AS kept
              (organization_id, operation, key, fingerprint, run, begun_at)
            VALUES (${organizationId}, ${operation}, ${key}, ${fingerprint}, ${run}, ${at})
            ON CONFLICT (organization_id, operation, key) DO UPDATE
            SET fingerprint = excluded.fingerprint, run = excluded.run, begun_at = excluded.begun_at,
              sealed_answer = NULL
            WHERE kept.begun_at < ${forgottenBefore} OR (
              kept.begun_at < ${cutOffBefore} AND kept.sealed_answer IS NULL
                AND kept.fingerprint = excluded.fingerprint
            )`,
          minor,
        );
        if (changes === 1) {
          kept.add(organizationId, { calls: 1 });
          return 'fresh';
        }
        const row = await selectOne<{ fingerprint: string; sealed_answer: string | null }>(read)`
          SELECT fingerprint, sealed_answer FROM idempotency_keys WHERE ${isCall(call)}`;
        // Without a row, the other run has just abandoned the call.
        if (row === undefined) return 'running';
        if (row.fingerprint !== fingerprint) return 'other-request';
        return row.sealed_answer === null ? 'running' : { encryptedAnswer: row.sealed_answer };
      }),

    async finish(answer) {
      // Also called for an answer that was kept with the work.
      kept.add(answer.organizationId, { answerLength: answer.encryptedAnswer.length });
      return write((sql) => keepAnswer(sql, answer));
    },

    async abandon({ run, ...call }) {
      const { changes } = await write(
        (sql) =>
          execute(sql)`DELETE FROM idempotency_keys
            WHERE ${isCall(call)} AND run = ${run} AND sealed_answer IS NULL`,
        minor,
      );
      kept.add(call.organizationId, { calls: -changes });
    },
  };
}

/** Keeps an answer. False if the call does not belong to the run, or has an answer. */
export function keepAnswer(sql: Sql, { run, encryptedAnswer, ...call }: KeptAnswer): Promise<boolean> {
  return changesOne(sql)`UPDATE idempotency_keys SET sealed_answer = ${encryptedAnswer}
    WHERE ${isCall(call)} AND run = ${run} AND sealed_answer IS NULL`;
}
