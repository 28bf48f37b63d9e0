import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { promClient } from './prom-client.js';

/** Every metric, as Prometheus explains it. */
const texts = {
  rollcall_build_info:
    'Always 1; the labels are the version that runs, and the commit that it was built from.',
  rollcall_time_zone_data_info:
    'Always 1; the label is the version of the IANA time zone data that the process computes with.',
  rollcall_http_requests_total: 'Requests that have ended, by the pattern of their path.',
  rollcall_http_request_duration_seconds: 'From the head of a request to the end of its answer.',
  rollcall_export_bytes_total: 'Bytes of exports that were sent, before any compression by a proxy.',
  rollcall_deliveries_total: 'Webhook deliveries that have ended, by how.',
  rollcall_delivery_duration_seconds: 'From the start of a sending to its outcome.',
  rollcall_claim_duration_seconds: 'Searches of the outbox for deliveries to send, at least one a second.',
  rollcall_mails_total: 'Attempts to send a mail, by how they ended. Postponed mails are tried again.',
  rollcall_limit_refusals_total: 'Requests refused with 429, by the limit that was reached.',
  rollcall_sign_ons_total: 'Sign-ons at identity providers that have ended, by how.',
  rollcall_second_factors_total:
    'Second factors that were given at a sign-in or before a change, by what they were and how it ended.',
  rollcall_older_access_key_uses_total:
    'Accepted access keys that were replaced and are still kept, and accepted tokens of them.',
  rollcall_passwords:
    'Passwords that are hashed or verified now, and those that wait; with 200 waiting, further ones get 503.',
  rollcall_database_promotions_total: 'Standbys that have become the primary of the database.',
  rollcall_lost_events_total: 'Events that this process has sent and that the new primary does not have.',
  rollcall_clock_ahead_seconds:
    "By how much this machine's clock is ahead of PostgreSQL's, whose time is used; negative: behind.",
  rollcall_database_up: 'Whether the database answers within 2 s: 1 or 0.',
  rollcall_database_writable: 'Whether changes can be stored, as far as is known: 1 or 0.',
  rollcall_outbox_deliveries:
    'Deliveries to care for, in the whole database; of each state but sending, 100000 are counted.',
  rollcall_outbox_oldest_pending_age_seconds:
    'Since the oldest event that waits to be sent; 0 where none waits.',
  rollcall_mails_waiting: 'Mails that wait to be sent, in the whole database; 10000 are counted.',
  rollcall_mails_oldest_waiting_age_seconds:
    'Since the oldest mail that waits to be sent was added; 0 where none waits.',
  rollcall_sign_on_secrets_expiring:
    'Organizations whose client secret for sign-on expires within 30 days, or has expired.',
  rollcall_database_oldest_transaction_age_seconds:
    'Since the oldest open transaction of any client of the database began; 0 where none is open.',
  rollcall_database_oldest_snapshot_age_seconds:
    'Since the oldest open snapshot, which keeps deleted rows from being removed; 0 where none is open.',
  rollcall_database_oldest_snapshot_age_transactions:
    'Transactions since the oldest snapshot of any client, replica or replication slot.',
  rollcall_imports_total: 'Imports into the database by any process, since the first scrape of this one.',
  rollcall_import_records_total: 'Records that these imports have read.',
  rollcall_secret_key_needed: 'What is stored under a secret key, by its id; counted every 5 minutes.',
  rollcall_secret_key_tokens_until_timestamp_seconds:
    'When tokens made with a previous key are over: until then it must stay configured.',
  rollcall_database_listening:
    'Whether notifications of other processes arrive: 1 or 0. If not, their events are found within a second.',
  rollcall_database_connections: 'Connections of this process to the database, by what they are for.',
  rollcall_database_waiting_requests: 'Callers who wait for a connection, by what it is for.',
} as const;

type Name = keyof typeof texts;

/** Makes the metrics of one registry. `collect` is called at every scrape. */
export type Meters = ReturnType<typeof createMeters>;

export function createMeters(registry: Registry) {
  const prometheus = promClient();
  const common = (name: Name) => ({ name, help: texts[name], registers: [registry] });
  /** Its options for what is read at each scrape: prom-client calls `collect` as a method of the metric. */
  const collected = <Metric>(collect: ((metric: Metric) => void) | undefined) =>
    collect && {
      collect(this: Metric): void {
        collect(this);
      },
    };
  return {
    gauge<Label extends string>(
      name: Name,
      labelNames: readonly Label[] = [],
      collect?: (gauge: Gauge<Label>) => void,
    ): Gauge<Label> {
      return new prometheus.Gauge({ ...common(name), labelNames, ...collected(collect) });
    },
    counter<Label extends string>(
      name: Name,
      labelNames: readonly Label[] = [],
      collect?: (counter: Counter<Label>) => void,
    ): Counter<Label> {
      return new prometheus.Counter({ ...common(name), labelNames, ...collected(collect) });
    },
    histogram<Label extends string>(
      name: Name,
      buckets: number[],
      labelNames: readonly Label[] = [],
    ): Histogram<Label> {
      return new prometheus.Histogram({ ...common(name), labelNames, buckets });
    },
  };
}
