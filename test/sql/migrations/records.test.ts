import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import knexPackage, { type Knex } from 'knex';
import { type Database, isMisconfigured, openDatabase, sqliteDriver } from '#adapters/sql/index.js';
import { migrationNames } from '#adapters/sql/migrations/index.js';
import { ownTables } from '#adapters/sql/migrations/own-tables.js';
import { SqliteKnexClient } from '#adapters/sql/sqlite/knex-client.js';
import type { OpenedDatabase } from '../../support/opened-database.js';
import { startPostgresDatabase, startPostgresUrl } from '../../support/postgres.js';
import { clientAt } from '../../support/postgres-template.js';
import { startRecorded } from '../../support/recorded-release.js';
import { startSqliteDatabase } from '../../support/storage.js';
import { copiedTables, type EngineName } from '../../support/transfer.js';

// A CommonJS package without named exports at run time.
const { knex: createKnex } = knexPackage;

const engines = ['sqlite', 'postgres'] as const;
const theirNames = ['20240101_things.js', '20240102_more_things.js'];

/** Another application in the same schema, which keeps its records as knex does by default. */
async function migrateTheirs(url: string, count: number): Promise<readonly string[]> {
  const knex = createKnex(
    (url.startsWith('postgres')
      ? { client: 'pg', connection: url }
      : {
          client: SqliteKnexClient,
          connection: { filename: url.slice('sqlite:'.length) },
          useNullAsDefault: true,
        }) as Knex.Config,
  );
  const up = (name: string) => (schema: Knex) =>
    schema.schema.createTable(name.slice(9, -3), (table) => {
      table.increments();
      table.integer('thing_id').references('id').inTable(name.slice(9, -3));
      table.index('thing_id', `${name.slice(9, -3)}_index`);
    });
  try {
    const [, applied] = await knex.migrate.latest({
      migrationSource: {
        getMigrations: async (): Promise<string[]> => theirNames.slice(0, count),
        getMigrationName: (name: string) => name,
        getMigration: async (name: string) => ({ up: up(name), down: async () => undefined }),
      },
    });
    return applied;
  } finally {
    await knex.destroy();
  }
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
    test('are apart from those of another application in the same schema', async () => {
      const { url, database, stop } = await startEmpty(engine);
      try {
        assert.deepEqual(await migrateTheirs(url, 1), theirNames.slice(0, 1));
        assert.deepEqual(await database.pendingMigrations(), migrationNames);
        assert.deepEqual(await database.migrate(), migrationNames);
        assert.deepEqual(await migrateTheirs(url, 2), theirNames.slice(1));
        assert.deepEqual(await database.migrate(), []);
        assert.deepEqual(await namesIn(database, 'knex_migrations'), theirNames);
        assert.deepEqual(await namesIn(database, 'rollcall_migrations'), migrationNames);
      } finally {
        await stop();
      }
    });

    test('of an earlier preview are moved once, by several processes that start together', async () => {
      const { url, database, stop } = await startRecorded[engine]('0.1.0');
      const others = await Promise.all(engine === 'sqlite' ? [] : [openDatabase(url), openDatabase(url)]);
      try {
        const pending = await database.pendingMigrations();
        const applied = await Promise.all([database, ...others].map((one) => one.migrate()));
        assert.deepEqual(applied.flat(), pending);
        assert.deepEqual(await namesIn(database, 'rollcall_migrations'), migrationNames);
        await Promise.all(others.map((one) => one.close()));
        assert.deepEqual(await database.migrate(), []);
        assert.deepEqual(await migrateTheirs(url, 2), theirNames);
        assert.deepEqual(await database.migrate(), []);
        assert.deepEqual(await namesIn(database, 'knex_migrations'), theirNames);
      } finally {
        await stop();
      }
    });

    test('of an earlier preview leave a table that another application uses too', async () => {
      const { url, database, stop } = await startRecorded[engine]('0.1.0');
      try {
        await database.write((sql) =>
          sql.run(`INSERT INTO knex_migrations (name, batch) VALUES ('${theirNames[0]}', 2)`),
        );
        await database.migrate();
        assert.deepEqual(await namesIn(database, 'rollcall_migrations'), migrationNames);
        assert.deepEqual(await migrateTheirs(url, 2), theirNames.slice(1));
        assert.deepEqual(await database.pendingMigrations(), []);
      } finally {
        await stop();
      }
    });
  });
}

for (const engine of engines) {
  describe(`Tables of another application over ${engine}`, () => {
    const named = engine === 'postgres' ? ['users', 'webhooks'] : ['Users', 'webhooks'];
    const create = ['CREATE TABLE "NAME" (theirs text)', 'CREATE VIEW "NAME" AS SELECT 1 AS theirs'];

    /** Everything in the database that a program can notice. */
    const READ_STATE = {
      sqlite:
        'SELECT group_concat(name) || (SELECT * FROM pragma_journal_mode) || (SELECT * FROM pragma_application_id) AS state FROM sqlite_schema',
      postgres:
        "SELECT string_agg(relname, ',' ORDER BY relname) AS state FROM pg_class WHERE relnamespace = 'public'::regnamespace",
    };

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

    test('with other names stay beside ours', async () => {
      const { url, stop } = await startPlain(engine);
      try {
        await onPlain(url, 'CREATE TABLE customers (theirs text)');
        const database = await openDatabase(url);
        assert.deepEqual(await database.migrate(), migrationNames);
        await database.close();
      } finally {
        await stop();
      }
    });
  });
}

test('The list of own tables has every table of a new database', async () => {
  const [sqlite, postgres] = await Promise.all([startSqliteDatabase(), startPostgresDatabase()]);
  try {
    const found = [await copiedTables(sqlite.database), await copiedTables(postgres.database)].flat();
    assert.deepEqual([...new Set([...found, 'deployment'])].sort(), [...ownTables].sort());
  } finally {
    await Promise.all([sqlite.stop(), postgres.stop()]);
  }
});
