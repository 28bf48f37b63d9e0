import { setTimeout as pause } from 'node:timers/promises';
import type { Core } from '@rollcall/core';
import pg from 'pg';
import { openDatabase, sqlPorts } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { median } from '../bench/measure.js';
import { tokenOf } from '../support/api.js';
import { type Instance, type PostgresSite, preparePostgresSite } from '../support/fault/postgres.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';
import { insertMeetings } from '../support/stored-meetings.js';

/**
 * How one PostgreSQL grows: adds meetings up to a number of millions, and measures at several sizes what depends on them.
 * Then copies all meetings into a table that is partitioned by organization, and measures that. Fails if pages or
 * deliveries of one organization take longer because others grow. As a program:
 * `node test/dist/soak/scale.js [millions of meetings]`; 20 million take about 25 minutes and 25 GB.
 */
const [millions = 20] = process.argv.slice(2).map(Number);

const MILLION = 1_000_000;
const ORGANIZATIONS = 200;
const BATCH = 200_000;
const SIZES = [1, 5, 20, 50, 100].filter((size) => size < millions).concat(millions);
const PARTITIONS = 32;
/** The events that wait when claims are measured, and how many of them one claim takes. */
const WAITING = 10_000;
const CLAIMED_AT_ONCE = 50;
const TRIES = 15;
/** How much longer a request may take at the last size than at the first. */
const MAX_GROWTH = 2;
const MAX_MORE_MS = 10;

interface Sizes {
  readonly heap: number;
  readonly indexes: number;
}

interface Measured {
  readonly millions: number;
  readonly addedPerSecond: number;
  readonly claimedPerSecond: number;
  readonly pageMs: number;
  readonly middlePageMs: number;
  readonly registerMs: number;
  readonly deliveredMs: number;
  readonly vacuumSeconds: number;
  readonly sizes: Sizes;
}

type Site = PostgresSite;

const server = await startPostgresServer({
  durable: true,
  settings: [
    'shared_buffers=1GB',
    'max_wal_size=8GB',
    'maintenance_work_mem=512MB',
    'checkpoint_timeout=15min',
  ],
});
try {
  const measured = await measureAll(server);
  const [first, last] = [measured[0], measured.at(-1)];
  const problems =
    first === undefined || last === undefined
      ? ['nothing was measured']
      : [
          ...(['pageMs', 'middlePageMs', 'registerMs', 'deliveredMs'] as const).flatMap((name) =>
            last[name] > first[name] * MAX_GROWTH + MAX_MORE_MS
              ? [`${name} grew from ${first[name].toFixed(1)} to ${last[name].toFixed(1)}`]
              : [],
          ),
          ...(last.claimedPerSecond < first.claimedPerSecond / MAX_GROWTH
            ? [`claims fell from ${first.claimedPerSecond} to ${last.claimedPerSecond} a second`]
            : []),
        ];
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await server.remove();
}

async function measureAll(postgres: PostgresServer): Promise<readonly Measured[]> {
  const prepared = await preparePostgresSite({ server: postgres, organizations: ORGANIZATIONS });
  const client = new pg.Client({ connectionString: prepared.databaseUrl });
  // Without the time limit of other tests.
  const site: Site = {
    ...prepared,
    rows: async <Row>(text: string) => (await client.query(text)).rows as Row[],
  };
  try {
    await client.connect();
    const results: Measured[] = [];
    let count = 0;
    for (const size of SIZES) {
      let addedPerSecond = 0;
      for (; count < size * MILLION; count += BATCH) addedPerSecond = await addMeetings(site, count);
      await addDeliveries(site, size * 100_000);
      await site.rows('VACUUM (ANALYZE) deliveries');
      const claimedPerSecond = await claim(site);
      const instance = await site.serve();
      const result = await measure(site, { instance, size, addedPerSecond, claimedPerSecond });
      await instance.process.stop();
      process.stdout.write(`${JSON.stringify(result)}\n`);
      results.push(result);
    }
    process.stdout.write(`${JSON.stringify(await measurePartitions(site))}\n`);
    return results;
  } finally {
    await client.end();
    await site.remove();
  }
}

/** With all indexes and triggers, as an import. Returns the rows a second. */
async function addMeetings(site: Site, from: number): Promise<number> {
  const ids = site.organizations.map(({ id }) => id).join();
  const elapsed = await seconds(() =>
    site.rows(
      `${insertMeetings({
        ...{ id: 'n', organization_id: `(ARRAY[${ids}])[1 + n % ${ORGANIZATIONS}]`, name: `'Meeting ' || n` },
        ...{ start_time: 'start', end_time: `start + interval '1 hour'`, topic: `'Topic'`, host: `'Host'` },
        ...{ price: `'12.5'`, max_attendees: '12', meeting_description: `repeat('A description. ', 12)` },
      })}
      FROM generate_series(${from + 1}, ${from + BATCH}) AS n,
        LATERAL (SELECT timestamptz '2020-01-01' + n * interval '7 seconds' AS start) AS times`,
    ),
  );
  return BATCH / elapsed;
}

/** Fills the log of deliveries up to this number with finished ones. */
async function addDeliveries(site: Site, upTo: number): Promise<void> {
  const [id = 1] = site.organizations.map((organization) => organization.id);
  const [row] = await site.rows<{ count: number }>('SELECT count(*)::int AS count FROM deliveries');
  await site.rows(
    `INSERT INTO deliveries (organization_id, event_id, event_name, body, state, created_at, finished_at)
    SELECT ${id} + n % ${ORGANIZATIONS}, gen_random_uuid(), '${eventName}', repeat('{"a": 1}', 50), 'delivered', now(), now()
    FROM generate_series(1, ${Math.max(0, upTo - (row?.count ?? 0))}) AS n`,
  );
}

/** Claims events that wait, without an instance that would send them. Returns the events a second. */
async function claim(site: Site): Promise<number> {
  const [id = 1] = site.organizations.map((organization) => organization.id);
  await site.rows(
    `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
    SELECT ${id} + n % ${ORGANIZATIONS}, gen_random_uuid(), '${eventName}', repeat('{"a": 1}', 50), now()
    FROM generate_series(1, ${WAITING}) AS n`,
  );
  const database = await openDatabase(site.databaseUrl, { timeoutMs: 30_000 });
  try {
    const { outbox } = sqlPorts(database);
    const request = { limit: CLAIMED_AT_ONCE, perOrganization: WAITING, claim: 'a claim' };
    let claimed = 0;
    const elapsed = await seconds(async () => {
      for (let count = 1; count > 0; claimed += count)
        count = (await outbox.claim({ ...request, at: new Date() })).length;
    });
    if (claimed !== WAITING) throw new Error(`${claimed} of ${WAITING} waiting events were claimed`);
    return claimed / elapsed;
  } finally {
    await database.close();
    await site.rows(`DELETE FROM deliveries WHERE state IN ('pending', 'sending')`);
  }
}

async function measure(
  site: Site,
  {
    instance,
    size,
    addedPerSecond,
    claimedPerSecond,
  }: {
    readonly instance: Instance;
    readonly size: number;
    readonly addedPerSecond: number;
    readonly claimedPerSecond: number;
  },
): Promise<Measured> {
  await site.rows('UPDATE meetings SET topic = topic || $$.$$ WHERE id % 100 = 0');
  const vacuumSeconds = await seconds(() => site.rows('VACUUM (ANALYZE) meetings'));
  const [organization] = site.organizations;
  if (organization === undefined) throw new Error('there is no organization');
  const token = await tokenOf(instance.url, organization.accessKey);
  const page = async (number: number): Promise<number> => {
    const path = `/api/v2/organizations/${organization.id}/export_meetings?reporting_days=everything&page=${number}&per_page=100`;
    return medianMs(async () => {
      const answer = await fetch(instance.url + path, { headers: { Authorization: `Bearer ${token}` } });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
    });
  };
  const [pageMs, middlePageMs] = [await page(1), await page(25)];
  const { registerMs, deliveredMs } = await register(site, organization.id);
  const [sizes] = await site.rows<Sizes>(
    `SELECT pg_table_size('meetings')::float8 / 1e9 AS heap, pg_indexes_size('meetings')::float8 / 1e9 AS indexes`,
  );
  if (sizes === undefined) throw new Error('no sizes');
  return {
    millions: size,
    ...{
      addedPerSecond,
      claimedPerSecond,
      pageMs,
      middlePageMs,
      registerMs,
      deliveredMs,
      vacuumSeconds,
      sizes,
    },
  };
}

/** Milliseconds of a registration, and until its event is at the receiver. */
async function register(
  site: Site,
  organizationId: number,
): Promise<{ readonly registerMs: number; readonly deliveredMs: number }> {
  const delivered: number[] = [];
  const registered: number[] = [];
  await site.embedded(async (core: Core) => {
    for (let number = 0; number < TRIES; number += 1) {
      const before = site.receiver.requests.length;
      const from = performance.now();
      await core.registerUser({
        ...{ organizationId, email: `person-${Date.now()}-${number}@scale.test` },
        ...{ firstName: 'Ada', lastName: 'Lovelace' },
      });
      registered.push(performance.now() - from);
      while (site.receiver.requests.length === before) await pause(1);
      delivered.push(performance.now() - from);
    }
  });
  return { registerMs: median(registered), deliveredMs: median(delivered) };
}

/** The same meetings in a table that is partitioned by organization, with the organization in its key. */
async function measurePartitions(site: Site): Promise<object> {
  await site.rows(
    'CREATE TABLE parted (LIKE meetings INCLUDING DEFAULTS) PARTITION BY HASH (organization_id)',
  );
  for (let part = 0; part < PARTITIONS; part += 1)
    await site.rows(
      `CREATE TABLE parted_${part} PARTITION OF parted FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`,
    );
  const copySeconds = await seconds(() => site.rows('INSERT INTO parted SELECT * FROM meetings'));
  const indexSeconds = await seconds(async () => {
    await site.rows('ALTER TABLE parted ADD PRIMARY KEY (organization_id, id)');
    await site.rows('CREATE INDEX ON parted (organization_id, start_time, id)');
    await site.rows(`CREATE INDEX ON parted (organization_id, start_time, id) WHERE status = 'complete'`);
    await site.rows('CREATE INDEX ON parted (organization_id, updated_at, id)');
  });
  await site.rows('UPDATE parted SET topic = topic || $$.$$ WHERE id % 100 = 0');
  const vacuums: number[] = [];
  for (let part = 0; part < PARTITIONS; part += 1)
    vacuums.push(await seconds(() => site.rows(`VACUUM (ANALYZE) parted_${part}`)));
  const [organization] = site.organizations;
  const pageMs = await medianMs(() =>
    site.rows(
      `SELECT * FROM parted WHERE organization_id = ${organization?.id} ORDER BY start_time, id LIMIT 100 OFFSET 2400`,
    ),
  );
  return {
    partitions: PARTITIONS,
    copySeconds,
    indexSeconds,
    vacuumSecondsOfAll: vacuums.reduce((sum, one) => sum + one, 0),
    vacuumSecondsOfOne: Math.max(...vacuums),
    pageMs,
  };
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) times.push((await seconds(work)) * 1000);
  return median(times);
}
