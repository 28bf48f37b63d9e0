import type { Secret, SecretOwner } from '@rollcall/core';
import type { Database } from '../engine/database.js';
import { joinTexts, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { execute, select } from '../engine/statements.js';
import { sealedWith } from './key-needs.js';

export interface Reseal {
  readonly currentKeyId: string;
  /** Throws if the secret cannot be decrypted. */
  decrypt(input: { readonly encrypted: string } & SecretOwner): Secret;
  encrypt(input: { readonly secret: Secret } & SecretOwner): string;
}

const ofOrganizations = {
  key: 'organization_id',
  ownerOf: (organizationId: number) => ({ organizationId }),
} as const;

/** The tables whose rows hold secrets that can be moved to another key, at most one row for each owner. */
const sealedTables = {
  webhookSecrets: {
    table: 'webhooks',
    columns: ['sealed_secret', 'previous_sealed_secret'],
    ...ofOrganizations,
  },
  signOnSecrets: { table: 'sign_on', columns: ['sealed_secret'], ...ofOrganizations },
  codeSecrets: {
    table: 'code_secrets',
    columns: ['sealed_secret'],
    key: 'user_id',
    ownerOf: (userId: number) => ({ userId }),
  },
} as const satisfies Record<string, Omit<SealedTable, 'left'>>;

type Kind = keyof typeof sealedTables;

export interface Resealed {
  readonly moved: Readonly<Record<Kind, number>>;
  /** The secrets that could not be moved, and why. */
  readonly left: readonly LeftSecret[];
}

type LeftSecret = SecretOwner & { readonly reason: string };

/** Rows in one transaction. */
const BATCH_ROWS = 100;

/**
 * Encrypts with the current key every webhook secret that was encrypted with another one, also a previous secret, and
 * every client secret of sign-on, and every secret of an authenticator app. Changes a value only if nobody changed it since: a secret that was rotated meanwhile is
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
    codeSecrets: await move('codeSecrets'),
  };
  return { moved, left };
}

interface SealedTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** The column that names the owner. */
  readonly key: string;
  readonly ownerOf: (id: number) => SecretOwner;
  readonly left: LeftSecret[];
}

/** Returns the number of secrets that were moved. */
async function resealTable(
  { read, write }: Pick<Database, 'read' | 'write'>,
  { currentKeyId, decrypt, encrypt }: Reseal,
  { table, columns, key, ownerOf, left }: SealedTable,
): Promise<number> {
  const isOther = (column: string): SqlText =>
    SQL`(${raw(column)} IS NOT NULL AND ${sealedWith(column)} <> ${currentKeyId})`;
  let moved = 0;
  for (let after = 0; ; ) {
    const rows = await select<Readonly<Record<string, string | null>> & { readonly id: number }>(read)`
      SELECT ${raw(key)} AS id, ${raw(columns.join(', '))} FROM ${raw(table)}
      WHERE ${raw(key)} > ${after} AND (${joinTexts(columns.map(isOther), ' OR ')})
      ORDER BY ${raw(key)} LIMIT ${raw(BATCH_ROWS)}`;
    const last = rows.at(-1);
    if (last === undefined) return moved;
    after = last.id;
    moved += await write(async (sql) => {
      let count = 0;
      for (const row of rows) {
        const owner = ownerOf(row.id);
        for (const column of columns) {
          const encrypted = row[column] ?? null;
          if (encrypted === null || encrypted.slice(3, 11) === currentKeyId) continue;
          const result = resealed({ decrypt, encrypt }, { encrypted, owner });
          if ('reason' in result) {
            left.push({ ...owner, reason: result.reason });
            continue;
          }
          const { changes } = await execute(sql)`UPDATE ${raw(table)}
            SET ${raw(column)} = ${result.encrypted}
            WHERE ${raw(key)} = ${row.id} AND ${raw(column)} = ${encrypted}`;
          count += changes;
        }
      }
      return count;
    });
  }
}

function resealed(
  { decrypt, encrypt }: Pick<Reseal, 'decrypt' | 'encrypt'>,
  { encrypted, owner }: { readonly encrypted: string; readonly owner: SecretOwner },
): { readonly encrypted: string } | { readonly reason: string } {
  try {
    return { encrypted: encrypt({ secret: decrypt({ encrypted, ...owner }), ...owner }) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
