import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '#adapters/sql/index.js';
import { migrationNames } from '#adapters/sql/migrations/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { run, temporaryDirectory } from '../support/app-cli.js';
import { until } from '../support/fault/service.js';
import { formFields, pageClient } from '../support/page/client.js';
import { startPostgresUrl } from '../support/postgres.js';
import {
  accessKey,
  authenticate,
  dataset,
  PUBLIC_URL,
  readiness,
  type ServedInstance,
  startServing,
} from '../support/postgres-instances.js';

const SECRET_KEY = 'a secret key of more than 32 characters';

const directory = temporaryDirectory();
const cwd = directory.path;
after(() => directory.remove());

describe('Three instances on one PostgreSQL', () => {
  const uuid = '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0001';
  const AT_ONCE = 50;
  let own: Awaited<ReturnType<typeof startPostgresUrl>>;
  let ownEnv: Readonly<Record<string, string>>;
  let instances: readonly ServedInstance[] = [];
  let urls: readonly string[];
  let database: Awaited<ReturnType<typeof openDatabase>>;
  let token: string;
  before(async () => {
    own = await startPostgresUrl({ migrated: false });
    ownEnv = { DATABASE_URL: own.url, SECRET_KEY };
    // All of them find an empty database, and one creates the schema.
    instances = await Promise.all([1, 2, 3].map(() => startServing({ cwd, env: ownEnv })));
    urls = instances.map(({ url }) => url);
    database = await openDatabase(own.url);
    await run(['import', '-'], { cwd, env: ownEnv, input: dataset });
    token = await tokenFrom(urls[0] ?? '');
  });
  beforeEach(async () => {
    for (const table of ['failure_counts', 'sessions', 'invitations'])
      await database.write((sql) => sql.run(`DELETE FROM ${table}`));
  });
  after(async () => {
    await Promise.all(instances.map(({ server }) => server.discard()));
    await database.close();
    await own.stop();
  });

  /** Makes 50 calls at once, distributed over the instances. */
  function atOnce<Result>(ask: (url: string, index: number) => Promise<Result>): Promise<readonly Result[]> {
    return Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => ask(urls[index % urls.length] ?? '', index)),
    );
  }

  async function tokenFrom(url: string, key = accessKey): Promise<string> {
    const answer = await authenticate(url, key);
    assert.equal(answer.status, 200);
    return ((await answer.json()) as { readonly token: string }).token;
  }

  function post(url: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${url}/api/v2/organizations/7${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async function loginPath(): Promise<string> {
    const answer = await post(urls[0] ?? '', `/users/${uuid}/generate_otl_url`);
    const { otl_url } = (await answer.json()) as { readonly otl_url: string };
    return new URL(otl_url).pathname;
  }

  test('that start at once on an empty database migrate it once, and are ready', async () => {
    const applied = await database.read.all<{ name: string }>(
      'SELECT name FROM rollcall_migrations ORDER BY id',
    );
    assert.deepEqual(
      applied.map(({ name }) => name),
      migrationNames,
    );
    assert.deepEqual(await Promise.all(urls.map(readiness)), [200, 200, 200]);
  });

  test('open one session when a login link is redeemed fifty times at once', async () => {
    const path = await loginPath();
    const visitors = urls.map((url) => pageClient({ url, origin: PUBLIC_URL }));
    const fields = formFields((await visitors[0]?.open(path))?.text ?? '');
    // The form belongs to a browser, so its cookies are sent with it.
    const cookies = visitors[0]?.cookies() ?? new Map();
    const answers = await atOnce((url) =>
      pageClient({ url, origin: PUBLIC_URL }, new Map(cookies)).send({ path, fields }),
    );
    const statuses = answers.map(({ status }) => status).sort((one, other) => one - other);
    assert.deepEqual(statuses, [303, ...Array.from({ length: AT_ONCE - 1 }, () => 410)]);
    assert.deepEqual(await database.read.get('SELECT count(*) AS count FROM sessions'), { count: 1 });
  });

  test('create one invitation with one URL when a person is invited fifty times at once', async () => {
    const person = { first_name: 'Ada', last_name: 'Lovelace' };
    const answers = await atOnce(async (url, index) => {
      const email = index % 2 === 0 ? 'ada@example.test' : 'Ada@Example.test';
      const answer = await post(url, '/invite_user', { ...person, email });
      const { user } = (await answer.json()) as { readonly user: { readonly invitation_url: string } };
      return `${answer.status} ${user.invitation_url}`;
    });
    assert.equal(new Set(answers).size, 1, [...new Set(answers)].join('\n'));
    assert.match(answers[0] ?? '', /^200 /);
    assert.deepEqual(await database.read.get('SELECT count(*) AS count FROM invitations'), { count: 1 });
  });

  test('sign a user out of all instances when the user signs out of one', async () => {
    const [one, ...others] = urls.map((url) => ({ url, origin: PUBLIC_URL }));
    assert.ok(one !== undefined);
    const first = pageClient(one);
    assert.equal((await first.fillIn(await loginPath(), {})).status, 303);
    const home = '/organizations/7/meetings';
    const elsewhere = others.map((site) => pageClient(site, first.cookies()));
    for (const visitor of [first, ...elsewhere]) assert.equal((await visitor.open(home)).status, 200);
    assert.equal((await first.fillIn(home, {}, '/sign-out')).status, 303);
    for (const visitor of elsewhere) {
      const { status, location } = await visitor.open(home);
      assert.deepEqual([status, location?.startsWith('/sign-in')], [303, true]);
    }
  });

  test('count wrong access keys together, however many arrive at once', async () => {
    const statuses = await atOnce(async (url) => (await authenticate(url, '9'.repeat(24))).status);
    const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
    assert.deepEqual([count(401), count(429)], [3, AT_ONCE - 3]);
  });

  test('recover a delivery that was interrupted a minute ago, and leave alone one that another instance may be sending', async () => {
    const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
    const insert = `INSERT INTO deliveries (organization_id, event_id, event_name, body, state, created_at, claim, claimed_at, claims)
      VALUES (7, ?, '${eventName}', '{}', 'sending', ?, 'of another', ?, 1)`;
    for (const [id, claimed] of [
      ['8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0011', 61],
      ['8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0012', 5],
    ] as const) {
      await database.write((sql) => sql.run(insert, [id, ago(90), ago(claimed)]));
    }
    const isSkipped = (): boolean =>
      instances.some(({ server }) => /"msg":"Delivery skipped/.test(server.stdout()));
    assert.ok(await until(isSkipped, 60_000));
    const states = await database.read.all(
      'SELECT state, outcome FROM deliveries LEFT JOIN attempts ON delivery_id = id ORDER BY id',
    );
    assert.deepEqual(states, [
      { state: 'skipped', outcome: 'interrupted' },
      { state: 'sending', outcome: null },
    ]);
  });

  // Must be the last test: the access key of the others no longer works.
  test('refuse an access key and its tokens once it is replaced', async () => {
    const body = { email: 'ada@example.test', first_name: 'Ada', last_name: 'Lovelace' };
    const statuses = () =>
      Promise.all(urls.map(async (url) => (await post(url, '/invite_user', body)).status));
    assert.deepEqual(await statuses(), [200, 200, 200]);
    const generated = await run(['access-key', 'generate', '--organization', '7', '--json'], {
      cwd,
      env: ownEnv,
    });
    assert.equal(generated.code, 0, generated.stderr);
    assert.deepEqual(await statuses(), [401, 401, 401]);
    // The instances trust for a second that the previous test left no attempts.
    await pause(1_100);
    const old = await Promise.all(urls.map(async (url) => (await authenticate(url, accessKey)).status));
    assert.deepEqual(old, [401, 401, 401]);
  });
});
