import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase, sqlPorts } from '#adapters/sql/index.js';
import { migrations } from '#adapters/sql/migrations/index.js';
import { migratePostgres } from '#adapters/sql/postgres/migrate.js';
import { migrateSqlite } from '#adapters/sql/sqlite/migrate.js';
import { addedBy, aPasskey, withCodes } from '#core/testing/new-second-factor.js';
import { withKnex } from '../../support/later-migration.js';
import { startPostgresUrl } from '../../support/postgres.js';

const starts = {
  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-kept-rows-'));
    return {
      url: `sqlite:${join(folder, 'test.db')}`,
      stop: () => rm(folder, { recursive: true, force: true }),
    };
  },
  postgres: () => startPostgresUrl({ migrated: false }),
};

const names = migrations.map(({ name }) => name);
/** The migrations before the one with this name. */
const before = (name: string) => migrations.slice(0, names.indexOf(name));

function migrateTo(url: string, known: typeof migrations): Promise<readonly string[]> {
  return withKnex(url, (knex) =>
    url.startsWith('postgres')
      ? migratePostgres({ knex, isPooled: false, settings: 'SELECT 1' }, known)
      : migrateSqlite(knex, known),
  );
}

const noon = '2026-11-20T12:00:00.000Z';

/** As the release before writes them: two members of an organization, with everything that refers to a membership. */
const earlierStatements = (number: number): readonly string[] => [
  `INSERT INTO users (id, uuid, email, first_name, last_name, created_at)
    VALUES (${number}, '00000000-0000-4000-8000-00000000000${number}', '${number}@example.test', 'A', 'B', '${noon}')`,
  `INSERT INTO memberships (organization_id, user_id, uuid, role, idp_id, created_at)
    VALUES (1, ${number}, '00000000-0000-4000-8000-00000000000${number}', 'member', NULL, '${noon}')`,
  `INSERT INTO login_links (hash, organization_id, user_id, created_at, expires_at)
    VALUES ('link ${number}', 1, ${number}, '${noon}', '${noon}')`,
  `INSERT INTO calendar_feeds (organization_id, user_id, hash, created_at)
    VALUES (1, ${number}, 'feed ${number}', '${noon}')`,
  ...['1', 'NULL'].map(
    (boundTo) =>
      `INSERT INTO sessions (hash, user_id, bound_to, opened_at, seen_at, device)
      VALUES ('session ${number} ${boundTo}', ${number}, ${boundTo}, '${noon}', '${noon}', NULL)`,
  ),
];

/** As the release that brought sign-on writes them: a member who signed on. */
const signOnStatements: readonly string[] = [
  `INSERT INTO sign_on (organization_id, issuer, client_id, sealed_secret, id_claim, admits, is_on, is_required, changed_at)
    VALUES (1, 'https://id.test', 'client', 'sealed', 'sub', 'anyone', true, false, '${noon}')`,
  `INSERT INTO identities (organization_id, issuer, subject, user_id, linked_at, used_at)
    VALUES (1, 'https://id.test', 'two', 2, '${noon}', '${noon}')`,
  `UPDATE memberships SET needs_sign_on = true WHERE user_id = 2`,
  `INSERT INTO sessions (hash, user_id, bound_to, opened_at, seen_at, device, started_by, sid)
    VALUES ('session 2 sign-on', 2, 1, '${noon}', '${noon}', NULL, 'sign-on', 'sid')`,
];

const counted = ['users', 'memberships', 'login_links', 'calendar_feeds', 'sessions'];

for (const engine of ['sqlite', 'postgres'] as const)
  test(`Over ${engine}, the tables of sign-on, of the directory and of the second factor are added and nothing is lost`, {
    timeout: 240_000,
  }, async (t) => {
    const { url, stop } = await starts[engine]();
    t.after(stop);
    await migrateTo(url, before('0006-sign-on'));
    const database = await openDatabase(url);
    t.after(() => database.close());
    const run = async (statements: readonly string[]): Promise<void> => {
      for (const text of statements) await database.write((sql) => sql.run(text));
    };
    const counts = async (tables = counted) => {
      const rows = tables.map((table) =>
        database.read.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`),
      );
      return (await Promise.all(rows)).map((row) => Number(row?.count));
    };
    const triggers = () =>
      database.read.all(
        engine === 'sqlite'
          ? `SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`
          : 'SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname',
      );
    await run([`INSERT INTO organizations (id, name, eap) VALUES (1, 'North', false)`]);
    await run([...earlierStatements(1), ...earlierStatements(2)]);
    const triggersBefore = await triggers();
    assert.ok(triggersBefore.length > 5);
    assert.deepEqual(await counts(), [2, 2, 2, 2, 4]);

    assert.deepEqual(await migrateTo(url, before('0007-directory')), ['0006-sign-on']);
    assert.deepEqual([await counts(), await triggers()], [[2, 2, 2, 2, 4], triggersBefore]);

    // The statements of the release before still work, and what they store means the same.
    await run(earlierStatements(3));
    const { sessions, signOns, members, directory } = sqlPorts(database);
    for (const userId of [1, 3]) assert.equal(await signOns.opens({ organizationId: 1, userId }), 'any');

    await run(signOnStatements);
    const tables = [...counted, 'sign_on', 'identities'];
    const kept = await counts(tables);
    assert.deepEqual(kept, [3, 3, 3, 3, 7, 1, 1]);
    const next = ['0007-directory', '0008-setup-links'];
    assert.deepEqual(await migrateTo(url, before('0009-second-factor')), next);
    assert.deepEqual([await counts(tables), await triggers()], [kept, triggersBefore]);

    await run(earlierStatements(4));
    const { people } = await directory.list({ organizationId: 1, offset: 0, limit: 9 });
    assert.deepEqual(
      people.map(({ userName, isActive, isWritten }) => [userName, isActive, isWritten]),
      [1, 2, 3, 4].map((number) => [`${number}@example.test`, true, false]),
    );
    assert.equal(await signOns.opens({ organizationId: 1, userId: 2 }), 'sign-on');
    for (const userId of [1, 2]) await members.remove({ organizationId: 1, userId, at: new Date(noon) });
    assert.deepEqual(await counts(tables), [4, 2, 2, 2, 6, 1, 0]);

    assert.deepEqual(await migrateTo(url, migrations), names.slice(names.indexOf('0009-second-factor')));
    assert.deepEqual([await counts(tables), await triggers()], [[4, 2, 2, 2, 6, 1, 0], triggersBefore]);
    await run(earlierStatements(5));
    for (const number of [3, 5]) {
      assert.equal((await sessions.find(`session ${number} 1`))?.startedBy, 'login-link');
      assert.equal((await sessions.find(`session ${number} NULL`))?.startedBy, 'password');
    }
    const { secondFactors } = sqlPorts(database);
    assert.equal((await sessions.find('session 5 NULL'))?.hasSecondFactor, false);
    assert.equal(await secondFactors.isRequired(1), false);
    await withCodes({ secondFactors }, 5);
    await secondFactors.addPasskey({ ...aPasskey(5), ...addedBy(5) });
    const own = ['passkeys', 'code_secrets', 'recovery_codes'];
    assert.deepEqual(await counts(own), [1, 1, 2]);
    await run(['DELETE FROM users WHERE id = 5']);
    assert.deepEqual(await counts(own), [0, 0, 0]);
  });
