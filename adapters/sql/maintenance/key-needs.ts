import { sessionIdleTimeMs, sessionLifetimeMs } from '@rollcall/core/rules';
import { type Database, timestampOrNull } from '../engine/database.js';
import { raw, SQL, type SqlText } from '../engine/sql-text.js';
import { select } from '../engine/statements.js';
import { storedIn } from '../engine/stored.js';

/** The key of an encrypted secret: `v1.<key>.…`, as `Secrets.encrypt` writes it. Hashes are `<key>.…`. */
export const sealedWith = (column: string): SqlText => raw(`substr(${column}, 4, 8)`);
const hashedWith = (column: string): SqlText => raw(`substr(${column}, 1, 8)`);
const isPending = raw('accepted_at IS NULL AND revoked_at IS NULL');

const ago = (now: Date, milliseconds: number): Date => new Date(now.getTime() - milliseconds);

/** Selects the keys of the stored values that can still be used. */
const keysOf = {
  webhookSecrets: (now) => SQL`SELECT ${sealedWith('sealed_secret')} AS key_id FROM webhooks
    UNION ALL SELECT ${sealedWith('previous_sealed_secret')} FROM webhooks WHERE previous_secret_until > ${now}`,
  /** The client secrets of sign-on. */
  signOnSecrets: () => SQL`SELECT ${sealedWith('sealed_secret')} AS key_id FROM sign_on`,
  /** The secrets of authenticator apps. */
  codeSecrets: () => SQL`SELECT ${sealedWith('sealed_secret')} AS key_id FROM code_secrets`,
  recoveryCodes: () => SQL`SELECT ${hashedWith('hash')} AS key_id FROM recovery_codes`,
  accessKeys: (now) => SQL`SELECT ${hashedWith('access_key_hash')} AS key_id FROM organizations
      WHERE access_key_hash IS NOT NULL
    UNION ALL SELECT ${hashedWith('previous_key_hash')} FROM organizations
      WHERE previous_key_until > ${now} AND previous_key_replaced_by = access_key_generation`,
  /** Pending invitations, whose URLs have been sent. */
  invitations: () => SQL`SELECT key_id FROM invitations WHERE ${isPending}`,
  calendarFeeds: () => SQL`SELECT ${hashedWith('hash')} AS key_id FROM calendar_feeds`,
  /** Tokens of directories that have not ended. */
  directoryTokens: (now) => SQL`SELECT ${hashedWith('hash')} AS key_id FROM directory_tokens
    WHERE ends_at IS NULL OR ends_at > ${now}`,
  /** Login links and links to set a password that are neither redeemed nor expired. */
  loginLinks: (now) => SQL`SELECT ${hashedWith('hash')} AS key_id FROM login_links
      WHERE redeemed_at IS NULL AND expires_at > ${now}
    UNION ALL SELECT ${hashedWith('hash')} FROM setup_links WHERE expires_at > ${now}
    UNION ALL SELECT ${hashedWith('hash')} FROM password_resets WHERE expires_at > ${now}`,
  sessions: (now) => SQL`SELECT ${hashedWith('hash')} AS key_id FROM sessions
    WHERE seen_at > ${ago(now, sessionIdleTimeMs)} AND opened_at > ${ago(now, sessionLifetimeMs)}`,
} as const satisfies Readonly<Record<string, (now: Date) => SqlText>>;

type Kind = keyof typeof keysOf;

/** The number of stored values that were made with one secret key and can still be used. */
export type StoredUnderKey = Readonly<Record<Kind, number>>;

export interface KeyNeed {
  /** Eight hex digits, or another text when a stored value does not name a key. */
  readonly keyId: string;
  readonly stored: StoredUnderKey;
  /** When the key was last known to be the current one. Null when no time is known. */
  readonly usedAt: Date | null;
}

const kinds = Object.keys(keysOf) as Kind[];
export const nothingStored = Object.fromEntries(kinds.map((kind) => [kind, 0])) as StoredUnderKey;

/** Every key that a stored value needs or that was in use, sorted by id. */
export async function keyNeeds(
  { read }: Pick<Database, 'read'>,
  { now }: { readonly now: Date },
): Promise<readonly KeyNeed[]> {
  const counts = new Map<string, StoredUnderKey>();
  // One by one: together, those of a large database could take longer than a statement may.
  for (const kind of kinds) {
    const rows = await select<{ key_id: string; stored: number }>(read)`
      SELECT key_id, count(*) AS stored FROM (${keysOf[kind](now)}) AS found GROUP BY key_id`;
    for (const { key_id, stored } of rows)
      counts.set(key_id, { ...(counts.get(key_id) ?? nothingStored), [kind]: stored });
  }
  const uses = await read.all<{ key_id: string; used_at: string }>(
    'SELECT key_id, used_at FROM secret_key_uses ORDER BY key_id',
  );
  const usedAt = new Map(uses.map(({ key_id, used_at }) => [key_id, timestampOrNull(used_at)]));
  return [...new Set([...counts.keys(), ...usedAt.keys()])].sort().map((keyId) => ({
    keyId,
    stored: counts.get(keyId) ?? nothingStored,
    usedAt: usedAt.get(keyId) ?? null,
  }));
}

const needing = storedIn('needing', {
  ...{ id: 'whole', name: 'text', webhookSecret: 'flag', signOnSecret: 'flag', accessKey: 'flag' },
  ...{ invitations: 'flag', calendarFeeds: 'flag', directoryToken: 'flag' },
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
  return needing.all(read)`FROM (
      SELECT id, name,
        id IN (
          SELECT organization_id FROM webhooks WHERE ${sealedWith('sealed_secret')} = ${keyId}
            OR (${sealedWith('previous_sealed_secret')} = ${keyId} AND previous_secret_until > ${now})
        ) AS webhook_secret,
        id IN (SELECT organization_id FROM sign_on
          WHERE ${sealedWith('sealed_secret')} = ${keyId}) AS sign_on_secret,
        (access_key_hash IS NOT NULL AND ${hashedWith('access_key_hash')} = ${keyId})
          OR (previous_key_until IS NOT NULL AND ${hashedWith('previous_key_hash')} = ${keyId}
            AND previous_key_until > ${now}
            AND previous_key_replaced_by = access_key_generation) AS access_key,
        id IN (SELECT organization_id FROM invitations
          WHERE key_id = ${keyId} AND ${isPending}) AS invitations,
        id IN (SELECT organization_id FROM calendar_feeds
          WHERE ${hashedWith('hash')} = ${keyId}) AS calendar_feeds,
        id IN (
          SELECT organization_id FROM directory_tokens
          WHERE ${hashedWith('hash')} = ${keyId} AND (ends_at IS NULL OR ends_at > ${now})
        ) AS directory_token
      FROM organizations
    ) AS needing
    WHERE webhook_secret OR sign_on_secret OR access_key OR invitations OR calendar_feeds
      OR directory_token ORDER BY id LIMIT ${limit}`;
}
