import type { Secret } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { sealedWith } from './key-needs.js';

export interface Reseal {
  readonly currentKeyId: string;
  /** Throws if the secret cannot be decrypted. */
  decrypt(input: { readonly encrypted: string; readonly organizationId: number }): Secret;
  encrypt(input: { readonly secret: Secret; readonly organizationId: number }): string;
}

export interface Resealed {
  readonly moved: number;
  /** The secrets that could not be moved, and why. */
  readonly left: readonly { readonly organizationId: number; readonly reason: string }[];
}

/** Rows in one transaction. */
const BATCH_ROWS = 100;

interface SealedRow {
  readonly organization_id: number;
  readonly sealed_secret: string;
  readonly previous_sealed_secret: string | null;
}

/**
 * Encrypts with the current key every webhook secret that was encrypted with another one, also a previous secret. Changes
 * a value only if nobody changed it since: a secret that was rotated meanwhile is already encrypted with the current key.
 */
export async function resealWebhookSecrets(
  { read, write }: Pick<Database, 'read' | 'write'>,
  { currentKeyId, decrypt, encrypt }: Reseal,
): Promise<Resealed> {
  let moved = 0;
  const left: { organizationId: number; reason: string }[] = [];
  for (let after = 0; ; ) {
    const rows = await read.all<SealedRow>(
      `SELECT organization_id, sealed_secret, previous_sealed_secret FROM webhooks
      WHERE organization_id > ? AND (
        ${sealedWith('sealed_secret')} <> ?
        OR (previous_sealed_secret IS NOT NULL AND ${sealedWith('previous_sealed_secret')} <> ?)
      )
      ORDER BY organization_id LIMIT ${BATCH_ROWS}`,
      [after, currentKeyId, currentKeyId],
    );
    const last = rows.at(-1);
    if (last === undefined) return { moved, left };
    after = last.organization_id;
    moved += await write(async (sql) => {
      let count = 0;
      for (const row of rows) {
        const organizationId = row.organization_id;
        for (const column of ['sealed_secret', 'previous_sealed_secret'] as const) {
          const encrypted = row[column];
          if (encrypted === null || encrypted.slice(3, 11) === currentKeyId) continue;
          const result = resealed({ decrypt, encrypt }, { encrypted, organizationId });
          if ('reason' in result) {
            left.push({ organizationId, reason: result.reason });
            continue;
          }
          const { changes } = await sql.run(
            `UPDATE webhooks SET ${column} = ? WHERE organization_id = ? AND ${column} = ?`,
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
