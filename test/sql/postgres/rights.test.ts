import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Unavailable } from '@rollcall/core';
import { createLog } from '#adapters/node/system/log.js';
import { type Database, isMisconfigured, openDatabase } from '#adapters/sql/index.js';
import { importDataset } from '#adapters/sql/maintenance/import.js';
import { adoptDeployment, type DatasetItem } from '#adapters/sql/maintenance/index.js';
import { readConfig } from '#app/config.js';
import { exitCodeOf, exitCodes, messagesOf } from '#app/error-messages.js';
import { openServedDatabase } from '#app/served-database.js';
import { startPostgresUrl } from '../../support/postgres.js';
import { runOnServer } from '../../support/postgres-client.js';
import { slowness } from '../../support/slowness.js';

const guide = readFileSync(
  fileURLToPath(new URL('../../../../contracts/operating.md', import.meta.url)),
  'utf8',
);
const log = createLog({ level: 'silent' });

async function* batchOf<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  yield items;
}

describe('A role of PostgreSQL', () => {
  let url: string;
  let asAdministrator: (statement: string) => Promise<unknown>;
  let stop: () => Promise<void>;
  let name: string;
  const roles: string[] = [];
  before(async () => {
    ({ url, stop } = await startPostgresUrl({ migrated: false }));
    name = new URL(url).pathname.slice(1);
    asAdministrator = (statement) => runOnServer(url, statement);
  });
  after(async () => {
    for (const role of roles) {
      await asAdministrator(`DROP OWNED BY ${role} CASCADE`);
      await asAdministrator(`DROP ROLE ${role}`);
    }
    await stop();
  });

  /** A new role with a schema of its own name, which it owns if `owns`. */
  async function newRole(options = '', { schema = 'owned' }: { readonly schema?: 'owned' | 'none' } = {}) {
    const role = `${name}_r${roles.length}`;
    await asAdministrator(`CREATE ROLE ${role} LOGIN PASSWORD 'secret' ${options}`);
    roles.push(role);
    if (schema === 'owned') await asAdministrator(`CREATE SCHEMA ${role} AUTHORIZATION ${role}`);
    const own = new URL(url);
    [own.username, own.password] = [role, 'secret'];
    return { role, url: own.href };
  }

  const configured = (database: string) =>
    readConfig({ DATABASE_URL: database, SECRET_KEY: 's'.repeat(32) }, () => undefined);

  async function serve(database: string, { migrate = true } = {}): Promise<Database> {
    const { database: opened } = await openServedDatabase({ config: configured(database), log, migrate });
    return opened;
  }

  /** What `serve` says when it does not start. */
  async function refusalOf(database: string): Promise<string> {
    const error = await serve(database).then(
      async (opened) => opened.close().then(() => assert.fail('it starts')),
      (reason: unknown) => reason,
    );
    const text = messagesOf(error, false).join('\n');
    assert.equal(exitCodeOf(error), exitCodes.usage, text);
    assert.ok(!text.includes('secret') && !text.includes('Try again'), text);
    return text;
  }

  test('that has the rights of the guide migrates, imports, exports and serves', async () => {
    const [owners = '', servers = ''] = guide.match(/(?<=```sql\n)CREATE ROLE rollcall[^`]+(?=```)/g) ?? [];
    const role = `${name}_guide`;
    const database = `${name}_app`;
    roles.push(role, `${role}_serve`);
    const statementsOf = (block: string): readonly string[] =>
      block
        .replaceAll(/\b(ROLE|TO|AUTHORIZATION) rollcall(_serve)?\b/g, `$1 ${role}$2`)
        .replaceAll('DATABASE app', `DATABASE ${database}`)
        .replaceAll('…', 'secret')
        .split(';\n')
        .filter((text) => text.trim() !== '');
    await asAdministrator(`CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8'`);
    const own = new URL(url);
    own.pathname = database;
    const administrator = own.href;
    try {
      for (const [user, block, id] of [
        [role, owners, 7],
        [`${role}_serve`, servers, 8],
      ] as const) {
        const statements = statementsOf(block);
        assert.ok(statements.length > 3);
        for (const statement of statements) await runOnServer(administrator, statement);
        [own.username, own.password] = [user, 'secret'];
        const opened = await serve(own.href, { migrate: user === role });
        const items: readonly DatasetItem[] = [
          { line: 1, record: { kind: 'organization', id, name: 'Northwind' } },
        ];
        await importDataset(opened, batchOf(items), { at: new Date() });
        await adoptDeployment(opened, { file: null });
        const snapshot = await opened.snapshot();
        assert.deepEqual(await snapshot.get('SELECT max(id) AS id FROM organizations'), { id });
        await snapshot.release();
        await opened.close();
      }
    } finally {
      for (const user of [`${role}_serve`, role])
        await runOnServer(administrator, `DROP OWNED BY ${user} CASCADE`);
      await asAdministrator(`DROP DATABASE ${database} WITH (FORCE)`);
    }
  });

  for (const [what, change, message] of [
    [
      'may not create in the schema',
      (role) => `REVOKE CREATE ON SCHEMA ${role} FROM ${role}`,
      /GRANT USAGE, CREATE ON SCHEMA \w+_r\d+ TO \w+_r\d+;/,
    ],
    [
      'may not use the schema',
      (role) => `REVOKE USAGE ON SCHEMA ${role} FROM ${role}; ALTER ROLE ${role} SET search_path = ${role}`,
      /GRANT USAGE, CREATE ON SCHEMA \w+_r\d+ TO/,
    ],
    ['may not log in', (role) => `ALTER ROLE ${role} NOLOGIN`, /ALTER ROLE \w+ LOGIN;/],
    [
      'has a search_path that leads nowhere',
      (role) => `ALTER ROLE ${role} SET search_path = nowhere, "No Where"`,
      /search_path is nowhere, "No Where".*CREATE SCHEMA.*SET search_path/,
    ],
    [
      'has switched triggers off',
      (role) => `ALTER ROLE ${role} SET session_replication_role = replica`,
      /ALTER ROLE \w+ SET session_replication_role = origin/,
    ],
  ] as readonly (readonly [string, (role: string) => string, RegExp])[]) {
    test(`that ${what} ends with exit code 2 and the statement to run`, async () => {
      const { role, url: own } = await newRole();
      await asAdministrator(change(role));
      assert.match(await refusalOf(own), message);
    });
  }

  for (const [what, change, message] of [
    [
      'rights on tables',
      (role) => `ALTER TABLE ${role}.users OWNER TO CURRENT_USER; GRANT SELECT ON ${role}.users TO ${role}`,
      /GRANT INSERT, UPDATE, DELETE ON users TO \w+;/,
    ],
    [
      'the right to read the migrations',
      (role) => `ALTER TABLE ${role}.rollcall_migrations OWNER TO CURRENT_USER`,
      /GRANT SELECT.* ON (TABLE )?rollcall_migrations TO/,
    ],
  ] as readonly (readonly [string, (role: string) => string, RegExp])[]) {
    test(`that has lost ${what} ends with exit code 2 and the statement to run`, async () => {
      const { role, url: own } = await newRole();
      await (await serve(own)).close();
      await asAdministrator(change(role));
      assert.match(await refusalOf(own), message);
    });
  }

  test('that loses a right while the service runs is told so, and the service goes on when it is back', async (t) => {
    const { role, url: own } = await newRole();
    const database = await serve(own);
    t.after(() => database.close());
    const write = () =>
      database.write((sql) => sql.run(`INSERT INTO organizations (name, eap) VALUES ('Contoso', false)`));
    await write();
    await asAdministrator(`ALTER TABLE ${role}.organizations OWNER TO CURRENT_USER`);
    await assert.rejects(write(), (error) => {
      assert.ok(error instanceof Unavailable && isMisconfigured(error));
      assert.match(
        error.message,
        /^The database refuses access: permission denied for table organizations\. /,
      );
      assert.match(error.message, /GRANT SELECT, INSERT, UPDATE, DELETE ON organizations TO /);
      return true;
    });
    await asAdministrator(`GRANT ALL ON ${role}.organizations TO ${role}`);
    await write();
    await asAdministrator(`REVOKE USAGE ON SCHEMA ${role} FROM ${role}`);
    await assert.rejects(write(), /GRANT USAGE/);
  });

  test('works in a schema whose name needs quotes, set for the role or in the URL, and not in the second of two', async () => {
    const { role, url: own } = await newRole('', { schema: 'none' });
    await asAdministrator(`CREATE SCHEMA "Roll Call" AUTHORIZATION ${role}`);
    const inUrl = new URL(own);
    inUrl.searchParams.set('options', '-c search_path="Roll\\ Call"');
    await (await serve(inUrl.href)).close();
    await asAdministrator(`ALTER ROLE ${role} SET search_path = "Roll Call"`);
    const database = await serve(own);
    assert.deepEqual(await database.pendingMigrations(), []);
    await database.close();
    await asAdministrator(`CREATE SCHEMA ${role} AUTHORIZATION ${role}`);
    await asAdministrator(`ALTER ROLE ${role} SET search_path = ${role}, "Roll Call"`);
    assert.match(await refusalOf(own), /tables are in the schema "Roll Call".*SET search_path = "Roll Call"/);
  });

  test('with fewer connections than the pool lets requests wait', async (t) => {
    const { role, url: own } = await newRole();
    const database = await serve(own);
    t.after(() => database.close());
    await asAdministrator(`ALTER ROLE ${role} CONNECTION LIMIT 3`);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        number % 2 === 0
          ? database.read.get<{ number: number }>(`SELECT ${number} AS number, pg_sleep(0.02)`)
          : database.write((sql) =>
              sql.get<{ number: number }>(`SELECT ${number} AS number, pg_sleep(0.02)`),
            ),
      ),
    );
    assert.deepEqual(
      answers.map((answer) => answer?.number),
      Array.from({ length: 40 }, (_, number) => number),
    );
  });

  test('without any free connection is unavailable, which can pass', async (t) => {
    const { role, url: own } = await newRole();
    const database = await openDatabase(own, { timeoutMs: Math.ceil(3_000 * slowness()) });
    t.after(() => database.close());
    await asAdministrator(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    await assert.rejects(database.read.get('SELECT 1'), (error) => {
      assert.ok(error instanceof Unavailable && !isMisconfigured(error));
      assert.match(error.message, /^The database (accepts no more connections|has no free connection)\.$/);
      return true;
    });
    await asAdministrator(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
    assert.ok(await database.read.get('SELECT 1'));
  });

  test('may not use a database with another encoding', async () => {
    for (const encoding of ['SQL_ASCII', 'LATIN1']) {
      const other = `${name}_${encoding.toLowerCase()}`;
      await asAdministrator(`CREATE DATABASE ${other} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`);
      const own = new URL(url);
      own.pathname = other;
      assert.match(
        await refusalOf(own.href),
        new RegExp(`encoding of the database is ${encoding}.*ENCODING 'UTF8'`),
      );
      await asAdministrator(`DROP DATABASE ${other} WITH (FORCE)`);
    }
  });
});
