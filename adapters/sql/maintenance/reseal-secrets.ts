import type { Secret } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { sealedWith } from './key-needs.js';

export interface Reseal {
  readonly currentKeyId: string;
  /** Throws if the secret cannot be decrypted. */
  decrypt(input: { readonly encrypted: string; readonly organizationId: number }): Secret;
  encrypt(input: { readonly secret: Secret; readonly organizationId: number }): string;
}

/** The tables whose rows hold secrets that can be moved to another key, at most one row for each organization. */
const sealedTables = {
  webhookSecrets: { table: 'webhooks', columns: ['sealed_secret', 'previous_sealed_secret'] },
  signOnSecrets: { table: 'sign_on', columns: ['sealed_secret'] },
} as const;

type Kind = keyof typeof sealedTables;

export interface Resealed {
  readonly moved: Readonly<Record<Kind, number>>;
  /** The secrets that could not be moved, and why. */
  readonly left: readonly LeftSecret[];
}

interface LeftSecret {
  readonly organizationId: number;
  readonly reason: string;
}

/** Rows in one transaction. */
const BATCH_ROWS = 100;

/**
 * Encrypts with the current key every webhook secret that was encrypted with another one, also a previous secret, and
 * every client secret of sign-on. Changes a value only if nobody changed it since: a secret that was rotated meanwhile is
 * already encrypted with the current key.
 */
export async function resealSecrets(
  database: Pick<Database, 'read' | 'write'>,
  reseal: Reseal,
): Promise<Resealed> {
  const left: LeftSecret[] = [];
  const move = (kind: Kind): Promise<number> =>
    resealTable(database, reseal, { ...sealedTables[kind], left });
  const moved = {
    webhookSecrets: await move('webhookSecrets'),
    signOnSecrets: await move('signOnSecrets'),
  };
  return { moved, left };
}

interface SealedTable {
  readonly table: string;
  readonly columns: readonly string[];
  readonly left: LeftSecret[];
}

/** Returns the number of secrets that were moved. */
async function resealTable(
  { read, write }: Pick<Database, 'read' | 'write'>,
  { currentKeyId, decrypt, encrypt }: Reseal,
  { table, columns, left }: SealedTable,
): Promise<number> {
  const isOther = (column: string): string => `(${column} IS NOT NULL AND ${sealedWith(column)} <> ?)`;
  let moved = 0;
  for (let after = 0; ; ) {
    const rows = await read.all<
      Readonly<Record<string, string | null>> & { readonly organization_id: number }
    >(
      `SELECT organization_id, ${columns.join(', ')} FROM ${table}
      WHERE organization_id > ? AND (${columns.map(isOther).join(' OR ')})
      ORDER BY organization_id LIMIT ${BATCH_ROWS}`,
      [after, ...columns.map(() => currentKeyId)],
    );
    const last = rows.at(-1);
    if (last === undefined) return moved;
    after = last.organization_id;
    moved += await write(async (sql) => {
      let count = 0;
      for (const row of rows) {
        const organizationId = row.organization_id;
        for (const column of columns) {
          const encrypted = row[column] ?? null;
          if (encrypted === null || encrypted.slice(3, 11) === currentKeyId) continue;
          const result = resealed({ decrypt, encrypt }, { encrypted, organizationId });
          if ('reason' in result) {
            left.push({ organizationId, reason: result.reason });
            continue;
          }
          const { changes } = await sql.run(
            `UPDATE ${table} SET ${column} = ? WHERE organization_id = ? AND ${column} = ?`,
            [result.encrypted, organizationId, encrypted],
          );
          count += changes;
        }
      }
      return count;
    });
  }
}

function resealed(
  { decrypt, encrypt }: Pick<Reseal, 'decrypt' | 'encrypt'>,
  { encrypted, organizationId }: { readonly encrypted: string; readonly organizationId: number },
): { readonly encrypted: string } | { readonly reason: string } {
  try {
    return { encrypted: encrypt({ secret: decrypt({ encrypted, organizationId }), organizationId }) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
