import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { anOrganization } from '@rollcall/core/testing';
import {
  createDeliveryHints,
  createHearing,
  type Database,
  type Hearing,
  type HearingOptions,
  openDatabase,
} from '#adapters/sql/index.js';
import { queue } from '#core/testing/queued-deliveries.js';
import { subscribe } from '#core/testing/subscribe.js';
import { importInto, membership, user } from '../../support/import-records.js';
import { startPostgresDatabase } from '../../support/postgres.js';
import { startSqliteDatabase, storageOver } from '../../support/storage.js';
import { startTransactionPooler } from '../../support/transaction-pooler.js';
import { until } from '../../support/wait.js';

const at = new Date('2026-11-20T12:00:00.000Z');
/** On a busy machine. */
const MAX_MS = 20_000;
const ORGANIZATIONS = 3;
/** A process that has not searched for so long does not send, or all its slots are filled. */
const STOPPED_MS = 1_600;

interface Other {
  readonly database: Database;
  /** Stores an event of the organization, with its delivery. */
  store(organizationId: number): Promise<void>;
  /** Returns the number of deliveries. */
  claim(): Promise<number>;
}

interface Started {
  /** The database as the process has it that listens. */
  readonly database: Database;
  readonly url: string;
  /** Another process. */
  readonly other: Other;
}

const starts = {
  async sqlite() {
    const { file, ...started } = await startSqliteDatabase();
    return { ...started, url: `sqlite:${file}` };
  },
  postgres: startPostgresDatabase,
} as const;

/** Two processes on one database. */
async function withDatabase(
  engine: keyof typeof starts,
  work: (started: Started) => Promise<void>,
): Promise<void> {
  const { database, url, stop } = await starts[engine]();
  const own = await openDatabase(url);
  try {
    await work({ database, url, other: await otherOn(own) });
  } finally {
    await own.close();
    await stop();
  }
}

async function otherOn(database: Database): Promise<Other> {
  const { storage, load } = storageOver({ database, stop: async () => {} });
  const organizations = Array.from({ length: ORGANIZATIONS }, (_, index) => index + 1);
  await load({ organizations: organizations.map((id) => anOrganization(id)) });
  await subscribe(storage, organizations);
  return {
    database,
    store: (organizationId) => queue({ ...storage, load }, { organizationId, count: 1 }),
    async claim() {
      const request = { limit: 9, perOrganization: 4, claim: 'a claim', at };
      return (await storage.outbox.claim(request)).length;
    },
  };
}

interface Ear {
  readonly hearing: Hearing;
  /** The organizations of the deliveries that were heard of. */
  readonly heard: readonly number[];
  /** What was reported: `true`, or the reason. */
  readonly changes: readonly unknown[];
}

/** Listens, and does nothing else: no search is there to find what was not heard of. */
async function withEar(
  database: HearingOptions['database'],
  work: (ear: Ear) => Promise<void>,
  options: Partial<HearingOptions> = {},
): Promise<void> {
  const heard: number[] = [];
  const changes: unknown[] = [];
  let isWoken = false;
  const added: number[] = [];
  const hearing = createHearing({
    database,
    hints: { ...createDeliveryHints(), add: (organizationId) => added.push(organizationId) },
    onChange: (hears, reason) => changes.push(hears || (reason as Error).message),
    ...options,
  });
  hearing.start(() => {
    isWoken = true;
    heard.push(...added.splice(0));
  });
  try {
    await work({ hearing, heard, changes });
    assert.equal(isWoken, heard.length > 0);
  } finally {
    hearing.stop();
  }
}

async function hears({ hearing }: Ear): Promise<void> {
  assert.ok(await until(() => hearing.hears(), MAX_MS), 'it does not hear');
}

async function hasHeardOf({ heard }: Ear, organizationId: number): Promise<void> {
  assert.ok(await until(() => heard.includes(organizationId), MAX_MS), `heard of ${heard.join()}`);
}

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`A process hears, over ${engine}`, () => {
    test('of an event that another one stores, and of an import', () =>
      withDatabase(engine, ({ database, other }) =>
        withEar(database, async (ear) => {
          await hears(ear);
          await other.store(1);
          await hasHeardOf(ear, 1);
          const member = { ...membership, organization_id: 2, registered: true };
          await importInto(other.database, [user, member]);
          await hasHeardOf(ear, 2);
          assert.deepEqual(ear.changes, []);
        }),
      ));

    test('again after it was cut off, and says so once', () =>
      withDatabase(engine, ({ database, url, other }) =>
        withEar(database, async (ear) => {
          await hears(ear);
          if (engine === 'sqlite') rmSync(`${url.slice('sqlite:'.length)}.news`);
          else
            await other.database.read.all(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'
              AND datname = current_database() AND pid <> pg_backend_pid()`,
            );
          assert.ok(await until(() => ear.changes.length === 2, MAX_MS), ear.changes.join());
          assert.match(String(ear.changes[0]), engine === 'sqlite' ? /removed/ : /terminat|ended/);
          assert.equal(ear.changes[1], true);
          await other.store(3);
          await hasHeardOf(ear, 3);
        }),
      ));

    test('nothing while it cannot listen, says so once, and the search finds the event', () =>
      withDatabase(engine, async ({ database, other }) => {
        let tries = 0;
        const listen = async (): Promise<never> => {
          tries += 1;
          throw new Error('no way to listen');
        };
        await withEar({ ...database, news: { ...database.news, listen } }, async (ear) => {
          await other.store(1);
          assert.ok(await until(() => tries === 3, MAX_MS));
          assert.deepEqual([ear.hearing.hears(), ear.heard, ear.changes], [false, [], ['no way to listen']]);
          const { claim } = await otherOn(database);
          assert.ok(await until(async () => (await claim()) === 1, MAX_MS));
        });
      }));

    test('that it hears nothing when what it tells itself does not arrive', () =>
      withDatabase(engine, ({ database }) =>
        withEar(
          { ...database, news: { ...database.news, tell: async () => {}, tellCommitted() {} } },
          async (ear) => {
            assert.ok(await until(() => ear.changes.length > 0, MAX_MS));
            assert.equal(ear.hearing.hears(), false);
            assert.deepEqual(ear.changes, ['What this process tells itself does not arrive']);
          },
          { checkTimeoutMs: 20 },
        ),
      ));

    test('and tells what it stores unless it has sent something lately', () =>
      withDatabase(engine, async ({ database }) => {
        let told = 0;
        const tell = async (): Promise<void> => {
          told += 1;
        };
        const sending = await otherOn({ ...database, news: { ...database.news, tell } });
        await sending.store(1);
        assert.equal(told, 1);
        await sending.claim();
        await sending.store(2);
        assert.equal(told, 1);
        await pause(STOPPED_MS);
        await sending.store(3);
        assert.equal(told, 2);
      }));
  });

describe('A process hears, over PostgreSQL', () => {
  test('until the database is closed, which does not wait for that', () =>
    withDatabase('postgres', async ({ url }) => {
      const database = await openDatabase(url);
      await withEar(database, async (ear) => {
        await hears(ear);
        await database.close();
        assert.ok(await until(() => !ear.hearing.hears(), MAX_MS));
      });
    }));

  test('nothing of another schema of the database', () =>
    withDatabase('postgres', async ({ url, database, other }) => {
      const apart = await openDatabase(url, { schema: 'x'.repeat(63) });
      try {
        await apart.migrate();
        const stranger = await otherOn(apart);
        await withEar(apart, (there) =>
          withEar(database, async (here) => {
            await Promise.all([hears(here), hears(there)]);
            await stranger.store(2);
            await hasHeardOf(there, 2);
            await other.store(1);
            await hasHeardOf(here, 1);
            assert.deepEqual([here.heard, there.heard], [[1], [2]]);
          }),
        );
      } finally {
        await apart.close();
      }
    }));

  test('nothing through a pooler, which passes on what it tells', () =>
    withDatabase('postgres', async ({ database, url }) => {
      const pooler = await startTransactionPooler(url);
      const pooled = await openDatabase(pooler.url);
      try {
        await withEar(pooled, async (deaf) => {
          assert.ok(await until(() => deaf.changes.length > 0, MAX_MS));
          assert.deepEqual(deaf.changes, ['A pooler does not pass notifications on']);
          await withEar(database, async (ear) => {
            await hears(ear);
            await (await otherOn(pooled)).store(1);
            await hasHeardOf(ear, 1);
          });
          assert.deepEqual(deaf.heard, []);
        });
      } finally {
        await pooled.close();
        await pooler.stop();
      }
    }));
});
