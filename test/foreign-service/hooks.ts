import type { EventName, Webhook, Webhooks } from '@rollcall/core';
import type { Database } from './database.js';
import { writeDown } from './diary.js';

interface HookRow {
  readonly id: number;
  readonly company: number;
  readonly url: string | null;
  readonly live: number;
  readonly topics: string;
  readonly secret: string;
  readonly made: number;
  readonly changed: number;
}

function toWebhook(row: HookRow): Webhook {
  return {
    id: row.id,
    organizationId: row.company,
    url: row.url,
    enabled: row.live === 1,
    events: JSON.parse(row.topics) as readonly EventName[],
    sealedSecret: row.secret,
    createdAt: new Date(row.made),
    updatedAt: new Date(row.changed),
  };
}

export function webhookOf(database: Database, organizationId: number): Webhook | null {
  const row = database.get<HookRow>('SELECT * FROM hooks WHERE company = ?', organizationId);
  return row === null ? null : toWebhook(row);
}

export function hookWebhooks(database: Database): Webhooks {
  return {
    async of(organizationId) {
      return webhookOf(database, organizationId);
    },

    async configure(organizationId, decide, note) {
      return database.transaction(() => {
        const { url, enabled, events, ...rest } = decide(webhookOf(database, organizationId));
        const row = database.get<HookRow>(
          `INSERT INTO hooks (company, url, live, topics, secret, made, changed) VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (company) DO UPDATE SET url = excluded.url, live = excluded.live,
            topics = excluded.topics, secret = excluded.secret, made = excluded.made, changed = excluded.changed
          RETURNING *`,
          ...[organizationId, url, Number(enabled), JSON.stringify(events), rest.sealedSecret],
          ...[rest.createdAt.getTime(), rest.updatedAt.getTime()],
        );
        if (row === null) throw new Error('An INSERT gave no row');
        const webhook = toWebhook(row);
        writeDown(database, note?.(webhook));
        return webhook;
      });
    },
  };
}
