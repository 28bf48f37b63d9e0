import { sessionIdleTimeMs, sessionLifetimeMs } from '@rollcall/core/rules';
import { type Database, timestampOrNull } from '../engine/database.js';
import { flag, storedIn, text, whole } from '../engine/stored.js';

/** The number of stored values that were made with one secret key and can still be used. */
export interface StoredUnderKey {
  readonly webhookSecrets: number;
  /** The client secrets of sign-on. */
  readonly signOnSecrets: number;
  /** The secrets of authenticator apps. */
  readonly codeSecrets: number;
  readonly recoveryCodes: number;
  readonly accessKeys: number;
  /** Pending invitations, whose URLs have been sent. */
  readonly invitations: number;
  readonly calendarFeeds: number;
  /** Tokens of directories that have not ended. */
  readonly directoryTokens: number;
  /** Login links and links to set a password that are neither redeemed nor expired. */
  readonly loginLinks: number;
  readonly sessions: number;
}

export interface KeyNeed {
  /** Eight hex digits, or another text when a stored value does not name a key. */
  readonly keyId: string;
  readonly stored: StoredUnderKey;
  /** When the key was last known to be the current one. Null when no time is known. */
  readonly usedAt: Date | null;
}

const nothing: StoredUnderKey = {
  webhookSecrets: 0,
  signOnSecrets: 0,
  codeSecrets: 0,
  recoveryCodes: 0,
  accessKeys: 0,
  invitations: 0,
  calendarFeeds: 0,
  directoryTokens: 0,
  loginLinks: 0,
  sessions: 0,
};

/** The key of an encrypted secret: `v1.<key>.…`, as `Secrets.encrypt` writes it. Hashes are `<key>.…`. */
export const sealedWith = (column: string): string => `substr(${column}, 4, 8)`;
const hashedWith = (column: string): string => `substr(${column}, 1, 8)`;
const isPending = 'accepted_at IS NULL AND revoked_at IS NULL';

/** Every key that a stored value needs or that was in use, sorted by id. */
export async function keyNeeds(
  { read }: Pick<Database, 'read'>,
  { now }: { readonly now: Date },
): Promise<readonly KeyNeed[]> {
  const needs = needsAt(now);
  // In one statement, because every start of the service asks.
  const counted = await read.all<{ kind: keyof StoredUnderKey; key_id: string; stored: number }>(
    needs
      .map(
        ([kind, from]) =>
          `SELECT '${kind}' AS kind, key_id, count(*) AS stored FROM (${from}) AS found GROUP BY key_id`,
      )
      .join(' UNION ALL '),
    needs.flatMap(([, , values]) => values),
  );
  const counts = new Map<string, StoredUnderKey>();
  for (const { kind, key_id, stored } of counted)
    counts.set(key_id, { ...(counts.get(key_id) ?? nothing), [kind]: stored });

  const uses = await read.all<{ key_id: string; used_at: string }>(
    'SELECT key_id, used_at FROM secret_key_uses ORDER BY key_id',
  );
  const usedAt = new Map(uses.map(({ key_id, used_at }) => [key_id, timestampOrNull(used_at)]));
  return [...new Set([...counts.keys(), ...usedAt.keys()])].sort().map((keyId) => ({
    keyId,
    stored: counts.get(keyId) ?? nothing,
    usedAt: usedAt.get(keyId) ?? null,
  }));
}

type Need = readonly [kind: keyof StoredUnderKey, from: string, values: readonly Date[]];

/** The key of each stored value that can still be used at this time. */
function needsAt(now: Date): readonly Need[] {
  const ago = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
  const hashedIn = (table: string): string => `SELECT ${hashedWith('hash')} AS key_id FROM ${table}`;
  return [
    [
      'webhookSecrets',
      `SELECT ${sealedWith('sealed_secret')} AS key_id FROM webhooks
        UNION ALL SELECT ${sealedWith('previous_sealed_secret')} FROM webhooks WHERE previous_secret_until > ?`,
      [now],
    ],
    ['signOnSecrets', `SELECT ${sealedWith('sealed_secret')} AS key_id FROM sign_on`, []],
    ['codeSecrets', `SELECT ${sealedWith('sealed_secret')} AS key_id FROM code_secrets`, []],
    ['recoveryCodes', hashedIn('recovery_codes'), []],
    [
      'accessKeys',
      `SELECT ${hashedWith('access_key_hash')} AS key_id FROM organizations WHERE access_key_hash IS NOT NULL
        UNION ALL SELECT ${hashedWith('previous_key_hash')} FROM organizations
          WHERE previous_key_until > ? AND previous_key_replaced_by = access_key_generation`,
      [now],
    ],
    ['invitations', `SELECT key_id FROM invitations WHERE ${isPending}`, []],
    ['calendarFeeds', hashedIn('calendar_feeds'), []],
    ['directoryTokens', `${hashedIn('directory_tokens')} WHERE ends_at IS NULL OR ends_at > ?`, [now]],
    [
      'loginLinks',
      `${hashedIn('login_links')} WHERE redeemed_at IS NULL AND expires_at > ?
        UNION ALL ${hashedIn('setup_links')} WHERE expires_at > ?
        UNION ALL ${hashedIn('password_resets')} WHERE expires_at > ?`,
      [now, now, now],
    ],
    [
      'sessions',
      `${hashedIn('sessions')} WHERE seen_at > ? AND opened_at > ?`,
      [ago(sessionIdleTimeMs), ago(sessionLifetimeMs)],
    ],
  ];
}

const needing = storedIn('needing', {
  ...{ id: whole, name: text, webhookSecret: flag, signOnSecret: flag, accessKey: flag, invitations: flag },
  ...{ calendarFeeds: flag, directoryToken: flag },
});

/** An organization with values that were made with a key. */
export type NeedingOrganization = ReturnType<typeof needing.read>;

/**
 * The organizations that need the key for a webhook secret, the client secret of sign-on, an access key, a pending invitation, a
 * calendar feed or the token of a directory, sorted by id, at most `limit`.
 */
export function organizationsNeeding(
  { read }: Pick<Database, 'read'>,
  { keyId, now, limit }: { readonly keyId: string; readonly now: Date; readonly limit: number },
): Promise<readonly NeedingOrganization[]> {
  return needing.all(
    read,
    `FROM (
      SELECT id, name,
        id IN (
          SELECT organization_id FROM webhooks WHERE ${sealedWith('sealed_secret')} = ?
            OR (${sealedWith('previous_sealed_secret')} = ? AND previous_secret_until > ?)
        ) AS webhook_secret,
        id IN (SELECT organization_id FROM sign_on WHERE ${sealedWith('sealed_secret')} = ?) AS sign_on_secret,
        (access_key_hash IS NOT NULL AND ${hashedWith('access_key_hash')} = ?)
          OR (previous_key_until IS NOT NULL AND ${hashedWith('previous_key_hash')} = ? AND previous_key_until > ?
            AND previous_key_replaced_by = access_key_generation) AS access_key,
        id IN (SELECT organization_id FROM invitations WHERE key_id = ? AND ${isPending}) AS invitations,
        id IN (SELECT organization_id FROM calendar_feeds WHERE ${hashedWith('hash')} = ?) AS calendar_feeds,
        id IN (
          SELECT organization_id FROM directory_tokens
          WHERE ${hashedWith('hash')} = ? AND (ends_at IS NULL OR ends_at > ?)
        ) AS directory_token
      FROM organizations
    ) AS needing
    WHERE webhook_secret OR sign_on_secret OR access_key OR invitations OR calendar_feeds
      OR directory_token ORDER BY id LIMIT ?`,
    [keyId, keyId, now, keyId, keyId, keyId, now, keyId, keyId, keyId, now, limit],
  );
}
