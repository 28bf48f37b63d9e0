import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Database, holdSenderLock, openDatabase, sqlPorts } from '#adapters/sql/index.js';
import { adoptDeployment, type Deployment, retireDeployment } from '#adapters/sql/maintenance/index.js';
import { cutsIn } from '#adapters/sql/stores/meeting-clock.js';
import { eventName } from '#core/testing/subscribe.js';
import { temporaryDirectory } from '../../support/app-cli.js';
import { startPostgresDatabase, startPostgresUrl } from '../../support/postgres.js';
import { slowness } from '../../support/slowness.js';

const at = new Date('2026-11-20T12:00:00.000Z');
const plenty = { limit: 100, perOrganization: 100, claim: 'a', at };

let count = 0;

/** Adds events that wait to be sent. */
async function queue({ write }: Database, events: number): Promise<void> {
  await write(async (sql) => {
    const found = await sql.get('SELECT 1 FROM organizations');
    if (found === undefined)
      await sql.run(`INSERT INTO organizations (id, name, eap) VALUES (1, 'N', false)`);
    for (let event = 0; event < events; event += 1) {
      count += 1;
      const id = `8f6f1c52-52d2-4f3b-9a8e-${String(count).padStart(12, '0')}`;
      await sql.run(
        `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
        VALUES (1, ?, '${eventName}', '{}', ?)`,
        [id, at],
      );
    }
  });
}

async function states(database: Database): Promise<readonly string[]> {
  const { deliveries } = sqlPorts(database);
  const listed = await deliveries.list({ organizationId: null, limit: 100 });
  return [...listed].sort((one, other) => one.id - other.id).map(({ state }) => state);
}

/** Where the history of meetings' changes was cut off. */
async function cutsOf({ read }: Database): Promise<readonly Date[]> {
  return cutsIn((await read.get<{ cuts: string | null }>('SELECT cuts FROM meeting_clock'))?.cuts ?? null);
}

/** Claims and finishes the waiting deliveries, like the sender. Returns their number. */
async function send(database: Database, deployment: Deployment): Promise<number> {
  const { outbox } = sqlPorts(database);
  const claimed = await outbox.claim(plenty);
  if (claimed.length > 0) await deployment.recordClaims();
  for (const { deliveryId, claim } of claimed)
    await outbox.finish({ deliveryId, claim, state: 'skipped', attempt: null, at });
  return claimed.length;
}

describe('The deployment of an SQLite file', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let file: string;
  let opened: { readonly database: Database; readonly deployment: Deployment }[];
  beforeEach(() => {
    directory = temporaryDirectory();
    mkdirSync(join(directory.path, 'data'));
    file = join(directory.path, 'data', 'rollcall.db');
    opened = [];
  });
  afterEach(async () => {
    await close();
    directory.remove();
  });

  async function serve(path = file) {
    const database = await openDatabase(path);
    await database.migrate();
    const deployment = await adoptDeployment(database, { file: path });
    opened.push({ database, deployment });
    return { database, deployment };
  }

  async function close(): Promise<void> {
    for (const { database, deployment } of opened.splice(0)) {
      deployment.close();
      await database.close();
    }
  }

  /** Makes a backup like an operator, while the database is in use. */
  async function backUp(database: Database): Promise<string> {
    const copy = join(directory.path, 'copy.db');
    await database.bulk((sql) => sql.run(`VACUUM INTO '${copy}'`));
    return copy;
  }

  test('a new database and one served before keep their waiting deliveries, after a stop and after a crash', async () => {
    const first = await serve();
    assert.deepEqual([first.deployment.isCopy, first.deployment.held], [false, 0]);
    await queue(first.database, 3);
    assert.equal(await send(first.database, first.deployment), 3);
    await queue(first.database, 2);
    await close();
    const second = await serve();
    assert.deepEqual([second.deployment.isCopy, second.deployment.held], [false, 0]);
    // A crash between the claim and the update of the file next to the database: that file counts fewer claims.
    assert.equal((await sqlPorts(second.database).outbox.claim(plenty)).length, 2);
    await queue(second.database, 1);
    await close();
    const third = await serve();
    assert.deepEqual([third.deployment.isCopy, third.deployment.held], [false, 0]);
    assert.equal((await states(third.database)).at(-1), 'pending');
  });

  test('a backup restored elsewhere holds waiting and unfinished deliveries until they are redelivered', async () => {
    const { database, deployment } = await serve();
    await queue(database, 3);
    await sqlPorts(database).outbox.claim({ ...plenty, limit: 1 });
    await database.write((sql) => sql.run('INSERT INTO meeting_clock (id, last_at) VALUES (1, ?)', [at]));
    const copy = await backUp(database);
    assert.equal(await send(database, deployment), 2);

    const restored = await serve(copy);
    assert.deepEqual([restored.deployment.isCopy, restored.deployment.held], [true, 3]);
    assert.deepEqual([await cutsOf(database), await cutsOf(restored.database)], [[], [at]]);
    assert.deepEqual(await states(restored.database), ['held', 'held', 'held']);
    assert.equal(await send(restored.database, restored.deployment), 0);
    const { deliveries } = sqlPorts(restored.database);
    const [shown] = await deliveries.list({ organizationId: null, limit: 1 });
    assert.deepEqual([shown?.attempts, shown?.finishedAt], [[], null]);
    assert.equal(await deliveries.redeliverMatching({ organizationId: null, states: ['held'] }), 3);
    assert.equal(await send(restored.database, restored.deployment), 3);
    await queue(restored.database, 1);
    await close();
    const again = await serve(copy);
    assert.equal(again.deployment.isCopy, false, 'it is a separate deployment now');
    assert.equal(await send(again.database, again.deployment), 1);
  });

  for (const [how, put] of [
    ['copied', (from: string, to: string) => copyFileSync(from, to)],
    ['moved', (from: string, to: string) => renameSync(from, to)],
  ] as const) {
    test(`a backup ${how} over its original holds its deliveries if the original has sent some since`, async () => {
      const { database, deployment } = await serve();
      await queue(database, 2);
      const copy = await backUp(database);
      assert.equal(await send(database, deployment), 2);
      await close();
      for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
      put(copy, file);
      const restored = await serve();
      assert.deepEqual([restored.deployment.isCopy, restored.deployment.held], [true, 2]);
    });
  }

  /** Copies the folder of the database, and returns the path of the copied database. */
  function copyFolder(to = 'other'): string {
    const other = join(directory.path, to);
    mkdirSync(other);
    for (const name of readdirSync(dirname(file))) copyFileSync(join(dirname(file), name), join(other, name));
    return join(other, basename(file));
  }

  const outcome = ({ deployment: { isCopy, held, movedFrom } }: Awaited<ReturnType<typeof serve>>) => ({
    isCopy,
    held,
    movedFrom,
  });

  test('a folder moved on one disk or to another sends its waiting deliveries once', async () => {
    const first = await serve();
    await queue(first.database, 3);
    await sqlPorts(first.database).outbox.claim({ ...plenty, limit: 1 });
    await close();
    const renamed = join(directory.path, 'renamed');
    renameSync(dirname(file), renamed);
    const second = await serve(join(renamed, basename(file)));
    assert.deepEqual(outcome(second), { isCopy: false, held: 0, movedFrom: file });
    assert.equal(await send(second.database, second.deployment), 2);
    await queue(second.database, 2);
    await close();
    // A move to another disk: different files with the same content.
    mkdirSync(dirname(file));
    for (const name of readdirSync(renamed)) copyFileSync(join(renamed, name), join(dirname(file), name));
    rmSync(renamed, { recursive: true });
    const third = await serve();
    assert.deepEqual(outcome(third), { isCopy: false, held: 0, movedFrom: join(renamed, basename(file)) });
    assert.equal(await send(third.database, third.deployment), 2);
    await close();
    assert.deepEqual(outcome(await serve()), { isCopy: false, held: 0, movedFrom: null });
  });

  test('a database that is opened through a symbolic link continues', async () => {
    await queue((await serve()).database, 1);
    await close();
    symlinkSync(dirname(file), join(directory.path, 'link'));
    assert.deepEqual(outcome(await serve(join(directory.path, 'link', basename(file)))), {
      isCopy: false,
      held: 0,
      movedFrom: null,
    });
  });

  test('a copied folder continues in one place only, and the other holds its waiting deliveries', async () => {
    await queue((await serve()).database, 2);
    await close();
    const other = await serve(copyFolder());
    assert.deepEqual(outcome(other), { isCopy: false, held: 0, movedFrom: file });
    assert.equal(await send(other.database, other.deployment), 2);
    const left = await serve();
    assert.deepEqual(outcome(left), { isCopy: true, held: 2, movedFrom: null });
    await close();
    // From now on, they are two separate deployments.
    assert.deepEqual(outcome(await serve()), { isCopy: false, held: 0, movedFrom: null });
  });

  test('a copied folder holds its waiting deliveries if the original has continued or is in use', async () => {
    const original = await serve();
    await queue(original.database, 2);
    const early = copyFolder('early');
    assert.equal(await send(original.database, original.deployment), 2);
    await queue(original.database, 1);
    await close();
    assert.deepEqual(outcome(await serve(early)), { isCopy: true, held: 2, movedFrom: null });
    const late = copyFolder('late');
    const lock = await holdSenderLock(file);
    assert.deepEqual(outcome(await serve(late)), { isCopy: true, held: 1, movedFrom: null });
    lock?.release();
    await close();
    assert.deepEqual(outcome(await serve()), { isCopy: false, held: 0, movedFrom: null });
  });

  test('a moved folder continues if its old path now has another database or none', async () => {
    await queue((await serve()).database, 1);
    await close();
    const moved = copyFolder('moved');
    for (const name of readdirSync(dirname(file))) rmSync(join(dirname(file), name));
    assert.deepEqual(outcome(await serve()), { isCopy: false, held: 0, movedFrom: null });
    await close();
    assert.deepEqual(outcome(await serve(moved)), { isCopy: false, held: 0, movedFrom: file });
    await close();
    for (const name of readdirSync(dirname(file))) rmSync(join(dirname(file), name));
    writeFileSync(file, 'not a database, but long enough to be read as one'.repeat(20));
    renameSync(dirname(moved), join(directory.path, 'again'));
    const again = join(directory.path, 'again', basename(file));
    assert.equal(outcome(await serve(again)).isCopy, false);
  });

  test('a database whose copy continues elsewhere holds its waiting deliveries when it is served again', async () => {
    const { database } = await serve();
    await queue(database, 2);
    await retireDeployment(database);
    await close();
    assert.deepEqual(outcome(await serve()), { isCopy: true, held: 2, movedFrom: null });
  });

  test('a new database continues beside a longer file that another one has left', async () => {
    writeFileSync(`${file}.deployment`, `${'x'.repeat(100)}\n`);
    for (let start = 1; start <= 2; start += 1) {
      assert.equal((await serve()).deployment.isCopy, false);
      await close();
    }
  });

  test('an unreadable file next to the database makes it a copy; one that cannot be written is an error', async () => {
    await serve();
    await close();
    writeFileSync(`${file}.deployment`, 'x');
    assert.equal((await serve()).deployment.isCopy, true);
    await close();
    rmSync(`${file}.deployment`);
    mkdirSync(`${file}.deployment`);
    const database = await openDatabase(file);
    await assert.rejects(adoptDeployment(database, { file }), /suffix \.deployment/);
    await database.close();
  });
});

describe('The deployment of a PostgreSQL database', () => {
  test('several instances that start at once, and again, hold nothing', async () => {
    const { database, url, stop } = await startPostgresDatabase();
    const other = await openDatabase(url);
    try {
      const adopt = (one: Database) => adoptDeployment(one, { file: null });
      await queue(database, 2);
      for (let round = 0; round < 2; round += 1) {
        const adopted = await Promise.all([database, other, database, other].map(adopt));
        assert.deepEqual(
          adopted.map(({ isCopy, held }) => [isCopy, held]),
          adopted.map(() => [false, 0]),
        );
      }
      assert.deepEqual(await states(other), ['pending', 'pending']);
    } finally {
      await other.close();
      await stop();
    }
  });

  test('a restore into the same database holds the waiting deliveries once', async (t) => {
    const { database, stop } = await startPostgresDatabase();
    t.after(stop);
    await adoptDeployment(database, { file: null });
    await queue(database, 2);
    await database.write(async (sql) => {
      await sql.run('INSERT INTO meeting_clock (id, last_at) VALUES (1, ?)', [at]);
      const row = await sql.get<{ place: string; written_in: string }>('SELECT * FROM deployment');
      await sql.run('DELETE FROM deployment');
      await sql.run('INSERT INTO deployment (place, written_in) VALUES (?, ?)', [
        row?.place ?? '',
        row?.written_in ?? '',
      ]);
    });
    const adopted = await Promise.all([1, 2].map(() => adoptDeployment(database, { file: null })));
    assert.deepEqual(adopted.map(({ held }) => held).sort(), [0, 2]);
    assert.deepEqual(await states(database), ['held', 'held']);
    assert.deepEqual(await cutsOf(database), [at]);
  });

  test('a database whose copy continues elsewhere holds its waiting deliveries, also more than one statement can in its time', async () => {
    const { database, url, stop } = await startPostgresDatabase();
    const impatient = await openDatabase(url, { timeoutMs: Math.ceil(600 * slowness()) });
    try {
      await adoptDeployment(database, { file: null });
      await queue(database, 1);
      await database.bulk((bulk) =>
        bulk.run(
          `INSERT INTO deliveries (organization_id, event_id, event_name, body, created_at)
          SELECT 1, gen_random_uuid(), '${eventName}', repeat('x', 600), now() FROM generate_series(2, 60000)`,
        ),
      );
      await retireDeployment(database);
      const { isCopy, held } = await adoptDeployment(impatient, { file: null });
      assert.deepEqual([isCopy, held], [true, 60_000]);
      assert.deepEqual((await adoptDeployment(impatient, { file: null })).held, 0);
    } finally {
      await impatient.close();
      await stop();
    }
  });

  test('a database created from this one as its template holds the waiting deliveries', async () => {
    const { database, url, stop } = await startPostgresDatabase();
    await adoptDeployment(database, { file: null });
    await queue(database, 2);
    await database.close();
    const copy = await startPostgresUrl({ migrated: false, template: new URL(url).pathname.slice(1) });
    const restored = await openDatabase(copy.url);
    try {
      const { isCopy, held } = await adoptDeployment(restored, { file: null });
      assert.deepEqual([isCopy, held], [true, 2]);
    } finally {
      await restored.close();
      await copy.stop();
      await stop();
    }
  });
});
