import type { IdempotencyKeys, IdempotentCall, KeptAnswer } from '@rollcall/core';
import type { Database } from './database.js';

interface ErrandRow {
  readonly request: string;
  readonly began: number;
  readonly reply: string | null;
}

const IS_ERRAND = 'company = ? AND kind = ? AND word = ?';

function keyOf({ organizationId, operation, key }: IdempotentCall) {
  return [organizationId, operation, key] as const;
}

/** False if the errand is another runner's, or has a reply. */
export function keepReply(database: Database, { run, encryptedAnswer, ...call }: KeptAnswer): boolean {
  const text = `UPDATE errands SET reply = ? WHERE ${IS_ERRAND} AND runner = ? AND reply IS NULL`;
  return database.run(text, encryptedAnswer, ...keyOf(call), run) === 1;
}

export function errandIdempotencyKeys(database: Database): IdempotencyKeys {
  return {
    async begin({ fingerprint, run, at, cutOffBefore, forgottenBefore, ...call }) {
      return database.transaction(() => {
        if (database.count('FROM companies WHERE id = ?', call.organizationId) === 0)
          return 'unknown-organization';
        const text = `SELECT * FROM errands WHERE ${IS_ERRAND}`;
        const errand = database.get<ErrandRow>(text, ...keyOf(call));
        if (errand !== null && errand.began >= forgottenBefore.getTime()) {
          if (errand.request !== fingerprint) return 'other-request';
          if (errand.reply !== null) return { encryptedAnswer: errand.reply };
          if (errand.began >= cutOffBefore.getTime()) return 'running';
        }
        database.run(
          'INSERT OR REPLACE INTO errands (company, kind, word, request, runner, began) VALUES (?, ?, ?, ?, ?, ?)',
          ...[...keyOf(call), fingerprint, run, at.getTime()],
        );
        return 'fresh';
      });
    },

    async find({ forgottenBefore, ...call }) {
      const text = `SELECT * FROM errands WHERE ${IS_ERRAND} AND began >= ?`;
      return database.get<ErrandRow>(text, ...keyOf(call), forgottenBefore.getTime())?.reply ?? null;
    },

    finish: async (answer) => keepReply(database, answer),

    async abandon({ run, ...call }) {
      const text = `DELETE FROM errands WHERE ${IS_ERRAND} AND runner = ? AND reply IS NULL`;
      database.run(text, ...keyOf(call), run);
    },
  };
}
