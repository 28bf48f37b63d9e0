import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Knex } from 'knex';
import { type Database, isMisconfigured, openDatabase, sqliteDriver } from '#adapters/sql/index.js';
import { type Migration, migrationNames } from '#adapters/sql/migrations/index.js';
import { ownTables } from '#adapters/sql/migrations/own-tables.js';
import { change } from '#adapters/sql/migrations/steps.js';
import { eventName } from '#core/testing/subscribe.js';
import { laterMigration, migrateLater, withKnex } from '../../support/later-migration.js';
import type { OpenedDatabase } from '../../support/opened-database.js';
import { startPostgresDatabase, startPostgresUrl } from '../../support/postgres.js';
import { clientAt } from '../../support/postgres-client.js';
import { startSqliteDatabase } from '../../support/storage.js';
import type { EngineName } from '../../support/transfer.js';

const engines = ['sqlite', 'postgres'] as const;
const theirNames = ['20240101_things.js', '20240102_more_things.js'];

/** Another application in the same schema, which keeps its records as knex does by default. */
async function migrateTheirs(url: string, count: number): Promise<readonly string[]> {
  const up = (name: string) => (schema: Knex) =>
    schema.schema.createTable(name.slice(9, -3), (table) => {
      table.increments();
      table.integer('thing_id').references('id').inTable(name.slice(9, -3));
      table.index('thing_id', `${name.slice(9, -3)}_index`);
    });
  return withKnex(url, async (knex) => {
    const [, applied] = await knex.migrate.latest({
      migrationSource: {
        getMigrations: async (): Promise<string[]> => theirNames.slice(0, count),
        getMigrationName: (name: string) => name,
        getMigration: async (name: string) => ({ up: up(name), down: async () => undefined }),
      },
    });
    return applied;
  });
}

/** An empty database that only another application has opened. */
async function startPlain(engine: EngineName): Promise<{ readonly url: string; stop(): Promise<void> }> {
  if (engine === 'postgres') return startPostgresUrl({ migrated: false });
  const { file, stop } = await startSqliteDatabase();
  return { url: `sqlite:${file}-theirs`, stop };
}

/** Runs a statement of another application. */
async function onPlain(url: string, text: string): Promise<unknown> {
  if (url.startsWith('postgres')) {
    const client = clientAt(url);
    await client.connect();
    return client
      .query(text)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  }
  const connection = new (sqliteDriver())(url.slice('sqlite:'.length));
  try {
    const statement = connection.prepare(text);
    return statement.reader ? statement.all() : statement.run();
  } finally {
    connection.close();
  }
}

const READ_NAMES = (table: string) => `SELECT name FROM ${table} ORDER BY id`;

async function namesIn({ read }: Database, table: string): Promise<readonly string[]> {
  return (await read.all<{ name: string }>(READ_NAMES(table))).map(({ name }) => name);
}

async function startEmpty(engine: EngineName): Promise<OpenedDatabase> {
  if (engine === 'postgres') {
    const { url, stop } = await startPostgresUrl({ migrated: false });
    const database = await openDatabase(url);
    return { url, database, stop: async () => database.close().then(stop) };
  }
  const { file, stop } = await startSqliteDatabase();
  const url = `sqlite:${file}-empty`;
  const empty = await openDatabase(url);
  return { url, database: empty, stop: async () => empty.close().then(stop) };
}

for (const engine of engines) {
  describe(`The records of migrations over ${engine}`, () => {
    test('are apart from those of another application in the same schema', async (t) => {
      const { url, database, stop } = await startEmpty(engine);
      t.after(stop);
      assert.deepEqual(await migrateTheirs(url, 1), theirNames.slice(0, 1));
      assert.deepEqual(await database.pendingMigrations(), migrationNames);
      assert.deepEqual(await database.migrate(), migrationNames);
      assert.deepEqual(await migrateTheirs(url, 2), theirNames.slice(1));
      assert.deepEqual(await database.migrate(), []);
      assert.deepEqual(await namesIn(database, 'knex_migrations'), theirNames);
      assert.deepEqual(await namesIn(database, 'rollcall_migrations'), migrationNames);
    });
  });
}

/** Everything in the database that a program can notice. */
const READ_STATE = {
  sqlite:
    'SELECT group_concat(name) || (SELECT * FROM pragma_journal_mode) || (SELECT * FROM pragma_application_id) AS state FROM sqlite_schema',
  postgres:
    "SELECT string_agg(relname, ',' ORDER BY relname) AS state FROM pg_class WHERE relnamespace = 'public'::regnamespace",
};

for (const engine of engines) {
  describe(`A later migration over ${engine}`, () => {
    const FILL = `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
      VALUES (1, '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0001', '${eventName}', '{}', '2026-11-20T12:00:00.000Z')`;
    const starts = { sqlite: startSqliteDatabase, postgres: startPostgresDatabase };
    const urlOf = (started: { readonly file: string } | { readonly url: string }) =>
      'url' in started ? started.url : `sqlite:${started.file}`;

    test('is applied once to stored rows, while this release stays open and finds nothing to do', async (t) => {
      const started = await starts[engine]();
      const { database, stop } = started;
      t.after(stop);
      await database.write(async (sql) => {
        await sql.run(`INSERT INTO organizations (id, name, eap) VALUES (1, 'One', ?)`, [false]);
        await sql.run(FILL);
      });
      assert.deepEqual(await migrateLater(urlOf(started)), [laterMigration.name]);
      assert.deepEqual(await migrateLater(urlOf(started)), []);
      assert.deepEqual(await database.read.all('SELECT note FROM deliveries'), [{ note: 'earlier' }]);
      assert.deepEqual([await database.pendingMigrations(), await database.migrate()], [[], []]);
      assert.deepEqual(await namesIn(database, 'rollcall_migrations'), [
        ...migrationNames,
        laterMigration.name,
      ]);
    });

    test('that fails leaves nothing of itself, and a new database stays empty', async () => {
      const wrong: Migration = {
        name: '9999-wrong',
        sqlite: 'CREATE TABLE notes (id INTEGER PRIMARY KEY); SELECT missing FROM notes',
        postgres: [change('CREATE TABLE notes (id bigint PRIMARY KEY)', 'SELECT missing FROM notes')],
      };
      const [filled, empty] = [await starts[engine](), await startPlain(engine)];
      try {
        if (engine === 'sqlite') await onPlain(empty.url, 'PRAGMA journal_mode = WAL');
        for (const url of [urlOf(filled), empty.url]) {
          const before = await onPlain(url, READ_STATE[engine]);
          await assert.rejects(migrateLater(url, {}, wrong), /missing/);
          assert.deepEqual(await onPlain(url, READ_STATE[engine]), before);
        }
        assert.deepEqual(await namesIn(filled.database, 'rollcall_migrations'), migrationNames);
      } finally {
        await filled.stop();
        await empty.stop();
      }
    });
  });

  describe(`The database of a preview over ${engine}`, () => {
    const MESSAGE =
      /The database was made by a preview of Rollcall and cannot be upgraded: .*\("rollcall import"\)/;

    for (const [records, changes] of Object.entries({
      rollcall_migrations: [`UPDATE rollcall_migrations SET name = '0001-schema'`],
      knex_migrations: [
        'ALTER TABLE rollcall_migrations RENAME TO knex_migrations',
        `UPDATE knex_migrations SET name = '0001-schema'`,
        `INSERT INTO knex_migrations (name) VALUES ('${theirNames[0]}')`,
      ],
    })) {
      test(`with its records in ${records} is refused and not touched`, async (t) => {
        const { url, stop } = await startPlain(engine);
        t.after(stop);
        const made = await openDatabase(url);
        await made.migrate();
        await made.close();
        for (const change of changes) await onPlain(url, change);
        const before = await onPlain(url, READ_STATE[engine]);
        for (const method of ['migrate', 'pendingMigrations'] as const)
          await assert.rejects(
            async () => {
              const database = await openDatabase(url);
              await database[method]().finally(() => database.close());
            },
            (error) => isMisconfigured(error) && MESSAGE.test(String(error)),
          );
        assert.deepEqual(await onPlain(url, READ_STATE[engine]), before);
      });
    }
  });

  describe(`Tables of another application over ${engine}`, () => {
    const named = engine === 'postgres' ? ['users', 'webhooks'] : ['Users', 'webhooks'];
    const create = ['CREATE TABLE "NAME" (theirs text)', 'CREATE VIEW "NAME" AS SELECT 1 AS theirs'];

    test('with names of ours are not touched', async () => {
      for (const hasRecords of [false, true]) {
        const { url, stop } = await startPlain(engine);
        try {
          for (const [index, name] of named.entries())
            await onPlain(url, (create[index] ?? '').replace('NAME', name));
          if (hasRecords) await migrateTheirs(url, 2);
          const before = await onPlain(url, READ_STATE[engine]);
          for (const _again of [1, 2])
            await assert.rejects(
              async () => {
                const database = await openDatabase(url);
                await database.migrate().finally(() => database.close());
              },
              (error) => {
                assert.ok(isMisconfigured(error));
                assert.match(String(error), new RegExp(`another application .*: ${named.join(', ')}\\.`));
                assert.match(String(error), /another (database|file)/);
                return true;
              },
            );
          assert.deepEqual(await onPlain(url, READ_STATE[engine]), before);
        } finally {
          await stop();
        }
      }
    });

    test('with other names stay beside ours', async (t) => {
      const { url, stop } = await startPlain(engine);
      t.after(stop);
      await onPlain(url, 'CREATE TABLE customers (theirs text)');
      const database = await openDatabase(url);
      assert.deepEqual(await database.migrate(), migrationNames);
      await database.close();
    });
  });
}

test('Both engines have the tables of the list, with the same columns in the same order', async (t) => {
  const [sqlite, postgres] = await Promise.all([startSqliteDatabase(), startPostgresDatabase()]);
  t.after(() => Promise.all([sqlite.stop(), postgres.stop()]));
  const columnsOf = async ({ read }: Database, text: string) => {
    const rows = await read.all<{ name: string; columns: string }>(text);
    return new Map(rows.map(({ name, columns }) => [name, columns]));
  };
  const [ofSqlite, ofPostgres] = [
    await columnsOf(
      sqlite.database,
      `SELECT tables.name, group_concat(columns.name) AS columns
      FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
      WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' GROUP BY tables.name`,
    ),
    await columnsOf(
      postgres.database,
      `SELECT table_name::text AS name, string_agg(column_name, ',' ORDER BY ordinal_position) AS columns
      FROM information_schema.columns WHERE table_schema = 'public' GROUP BY table_name`,
    ),
  ];
  const records = ['rollcall_migrations', 'rollcall_migrations_lock'];
  assert.deepEqual([...ofPostgres.keys()].sort(), [...ownTables, ...records].sort());
  // A file has one instance, which counts in memory.
  assert.deepEqual(
    [...ofPostgres.keys()].filter((name) => !ofSqlite.has(name)),
    ['failure_counts'],
  );
  for (const [name, columns] of ofSqlite)
    if (name !== 'deployment') assert.equal(columns, ofPostgres.get(name), name);
});
