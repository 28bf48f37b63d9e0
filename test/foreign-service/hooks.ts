import type { EventName, Webhook, WebhookHealth, Webhooks } from '@rollcall/core';
import { type Database, timestampOrNull } from './database.js';
import { writeDown } from './diary.js';

interface HookRow {
  readonly id: number;
  readonly company: number;
  readonly url: string | null;
  readonly live: number;
  readonly topics: string;
  readonly secret: string;
  /** The secret before this one, and until when it is used. */
  readonly secret_before: string | null;
  readonly used_until: number | null;
  readonly made: number;
  readonly changed: number;
  /** The number of letters in a row that have failed. The first one failed at `missing_since`. */
  readonly misses: number;
  readonly missing_since: number | null;
  /** When the last letter was delivered. */
  readonly arrived: number | null;
  /** The largest number of misses in a row that has been reported. */
  readonly warned: number;
}

function toWebhook(row: HookRow): Webhook {
  return {
    id: row.id,
    organizationId: row.company,
    url: row.url,
    enabled: row.live === 1,
    events: JSON.parse(row.topics) as readonly EventName[],
    encryptedSecret: row.secret,
    previousSecret:
      row.secret_before === null || row.used_until === null
        ? null
        : { encrypted: row.secret_before, until: new Date(row.used_until) },
    createdAt: new Date(row.made),
    updatedAt: new Date(row.changed),
  };
}

const noHealth: WebhookHealth = { failuresInRow: 0, failingSince: null, lastDeliveredAt: null };

function toHealth({ misses, missing_since, arrived }: HookRow): WebhookHealth {
  return {
    failuresInRow: misses,
    failingSince: timestampOrNull(missing_since),
    lastDeliveredAt: timestampOrNull(arrived),
  };
}

function hookOf(database: Database, organizationId: number): HookRow | null {
  return database.get('SELECT * FROM hooks WHERE company = ?', organizationId);
}

export function webhookOf(database: Database, organizationId: number): Webhook | null {
  const row = hookOf(database, organizationId);
  return row === null ? null : toWebhook(row);
}

/** Call it in the transaction that finishes a letter. True: misses that were reported have ended. */
export function countOutcome(
  database: Database,
  ended: { readonly organizationId: number; readonly state: 'delivered' | 'failed'; readonly at: Date },
): boolean {
  const warned = hookOf(database, ended.organizationId)?.warned ?? 0;
  const change =
    ended.state === 'delivered'
      ? 'misses = 0, warned = 0, missing_since = NULL, arrived = ?'
      : 'misses = misses + 1, missing_since = coalesce(missing_since, ?)';
  database.run(`UPDATE hooks SET ${change} WHERE company = ?`, ended.at.getTime(), ended.organizationId);
  return warned > 0 && ended.state === 'delivered';
}

export function hookWebhooks(database: Database): Webhooks {
  return {
    async of(organizationId) {
      return webhookOf(database, organizationId);
    },

    async configure(organizationId, decide, buildEntries) {
      return database.transaction(() => {
        const { url, enabled, events, ...rest } = decide(webhookOf(database, organizationId));
        if (database.get('SELECT 1 FROM companies WHERE id = ?', organizationId) === null) return null;
        const row = database.one<HookRow>(
          `INSERT INTO hooks (company, url, live, topics, secret, secret_before, used_until, made, changed)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (company) DO UPDATE SET url = excluded.url, live = excluded.live,
            topics = excluded.topics, secret = excluded.secret,
            secret_before = excluded.secret_before, used_until = excluded.used_until, made = excluded.made, changed = excluded.changed
          RETURNING *`,
          ...[organizationId, url, Number(enabled), JSON.stringify(events), rest.encryptedSecret],
          ...[rest.previousSecret?.encrypted ?? null, rest.previousSecret?.until.getTime() ?? null],
          ...[rest.createdAt.getTime(), rest.updatedAt.getTime()],
        );
        const webhook = toWebhook(row);
        writeDown(database, buildEntries?.(webhook));
        return webhook;
      });
    },

    async health(organizationId) {
      const row = hookOf(database, organizationId);
      return row === null ? noHealth : toHealth(row);
    },

    async takeFailureNotice({ organizationId, steps }, buildEntries) {
      return database.transaction(() => {
        const row = hookOf(database, organizationId);
        const step = Math.max(0, ...steps.filter((one) => one <= (row?.misses ?? 0)));
        if (row === null || step <= row.warned) return null;
        database.run('UPDATE hooks SET warned = ? WHERE company = ?', step, organizationId);
        const health = toHealth(row);
        writeDown(database, buildEntries?.(health));
        return health;
      });
    },
  };
}
