import type { IdempotencyKeys, KeptAnswer } from '@rollcall/core';
import { type Database, exists, type Sql } from '../engine/database.js';
import { KeptCalls } from './kept-calls.js';
import { unlessOrganizationUnknown } from './unknown-rows.js';

interface CallRow {
  readonly fingerprint: string;
  readonly sealed_answer: string | null;
}

const isCall = 'organization_id = ? AND operation = ? AND key = ?';

export function sqlIdempotencyKeys(database: Database): IdempotencyKeys {
  const { read, write } = database;
  // A call is begun and abandoned without the standbys: the transaction that does its work comes later, and waits for both.
  const minor = { isMinor: true };
  const kept = new KeptCalls(database);
  return {
    begin: ({
      organizationId,
      operation,
      key,
      fingerprint,
      run,
      at,
      cutOffBefore,
      forgottenBefore,
      ...limits
    }) =>
      unlessOrganizationUnknown(database, organizationId, async () => {
        const oldestAt = await kept.oldestIfFull(organizationId, { forgottenBefore, ...limits });
        if (oldestAt !== null) {
          const known = `FROM idempotency_keys WHERE ${isCall} AND begun_at >= ?`;
          if (!(await exists(read, known, [organizationId, operation, key, forgottenBefore])))
            return { oldestAt };
        }
        // Of several callers at once, the primary key lets one insert and the condition lets one take over.
        const { changes } = await write(
          (sql) =>
            sql.run(
              `INSERT INTO idempotency_keys AS kept (organization_id, operation, key, fingerprint, run, begun_at)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (organization_id, operation, key) DO UPDATE
            SET fingerprint = excluded.fingerprint, run = excluded.run, begun_at = excluded.begun_at,
              sealed_answer = NULL
            WHERE kept.begun_at < ? OR (
              kept.begun_at < ? AND kept.sealed_answer IS NULL AND kept.fingerprint = excluded.fingerprint
            )`,
              [organizationId, operation, key, fingerprint, run, at, forgottenBefore, cutOffBefore],
            ),
          minor,
        );
        if (changes === 1) {
          kept.add(organizationId, { calls: 1 });
          return 'fresh';
        }
        const row = await read.get<CallRow>(
          `SELECT fingerprint, sealed_answer FROM idempotency_keys WHERE ${isCall}`,
          [organizationId, operation, key],
        );
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

    async abandon({ organizationId, operation, key, run }) {
      const { changes } = await write(
        (sql) =>
          sql.run(`DELETE FROM idempotency_keys WHERE ${isCall} AND run = ? AND sealed_answer IS NULL`, [
            organizationId,
            operation,
            key,
            run,
          ]),
        minor,
      );
      kept.add(organizationId, { calls: -changes });
    },
  };
}

/** Keeps an answer. False if the call does not belong to the run, or has an answer. */
export async function keepAnswer(
  sql: Sql,
  { organizationId, operation, key, run, encryptedAnswer }: KeptAnswer,
): Promise<boolean> {
  const { changes } = await sql.run(
    `UPDATE idempotency_keys SET sealed_answer = ? WHERE ${isCall} AND run = ? AND sealed_answer IS NULL`,
    [encryptedAnswer, organizationId, operation, key, run],
  );
  return changes === 1;
}
