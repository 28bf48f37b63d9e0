import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { keyedSecrets } from '#adapters/node/crypto/secrets.js';
import { createLog } from '#adapters/node/system/log.js';
import { type Database, sqlPorts } from '#adapters/sql/index.js';
import { adoptSecretKey, keyNeeds } from '#adapters/sql/maintenance/index.js';
import { createKeyUse } from '#app/key-use.js';
import { sqlSecretKeyStore } from '#app/secret-key-store.js';
import { aWebhook } from '#core/testing/subscribe.js';
import { tokenOf } from '../support/api.js';
import { freePort, linesOf, type Running, run, start, temporaryDirectory } from '../support/app-cli.js';
import { withDatabase } from '../support/opened-database.js';

const [first, second] = ['first'.padEnd(32, '1'), 'second'.padEnd(32, '2')];
const secretsOf = (secretKey: string) => keyedSecrets(createKeyring({ secretKey, previousSecretKeys: [] }));
const old = secretsOf(first);
const current = secretsOf(second);
const accessKey = '1'.repeat(24);
/** The first number that Rollcall assigns. */
const organizationId = 1_000_000_000_001;

let directory: ReturnType<typeof temporaryDirectory>;
let cwd: string;
let running: Running[];

const withOwnDatabase = (work: (database: Database) => Promise<void>) =>
  withDatabase(join(cwd, 'rollcall.db'), work);

/** An organization with an access key and a webhook, both stored with the first secret key. */
async function createOrganization(database: Database): Promise<void> {
  await database.migrate();
  const at = new Date();
  const { organizations, webhooks } = sqlPorts(database);
  const { id } = await organizations.create({ name: 'Northwind', eap: false });
  const [hash = ''] = old.accessKeyHashes(accessKey);
  await organizations.replaceAccessKey({ organizationId: id, hash, at });
  await webhooks.configure(id, () => ({
    ...aWebhook(at),
    encryptedSecret: old.encrypt({ secret: old.newSigningSecret(), organizationId: id }),
  }));
  await adoptSecretKey(database, { current: old.keyId, known: [old.keyId], at });
}

const url = { DATABASE_URL: 'sqlite:rollcall.db' };
const afterRotation = { ...url, SECRET_KEY: second, SECRET_KEY_PREVIOUS: first };

async function keys(...args: readonly string[]) {
  const { code, stdout, stderr } = await run(['keys', '--json', ...args], { cwd, env: afterRotation });
  assert.deepEqual([code, stderr], [0, '']);
  return JSON.parse(stdout);
}

async function serve(env: Readonly<Record<string, string>>) {
  const port = await freePort();
  const metricsPort = await freePort();
  const server = start(['serve'], {
    cwd,
    env: { PORT: String(port), METRICS_PORT: String(metricsPort), ...env },
  });
  running.push(server);
  await server.see(/"msg":"Listening"/);
  const warnings = linesOf(server.stdout())
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level >= 40);
  return { server, port, metricsPort, warnings };
}

/** The hooks of each suite. */
function inOwnFolder(): void {
  beforeEach(async () => {
    directory = temporaryDirectory();
    cwd = directory.path;
    running = [];
    await withOwnDatabase(createOrganization);
  });
  afterEach(async () => {
    await Promise.all(running.map((one) => one.discard()));
    directory.remove();
  });
}

describe('The use of the current key', () => {
  inOwnFolder();

  test('is recorded at the start, periodically, and at the stop', () =>
    withOwnDatabase(async (database) => {
      let at = new Date('2026-11-20T12:00:00.000Z');
      const use = (intervalMs: number) =>
        createKeyUse({
          secretKeyStore: sqlSecretKeyStore(database),
          keyring: createKeyring({ secretKey: second, previousSecretKeys: [first] }),
          clock: { now: () => at },
          log: createLog({ level: 'silent' }),
          intervalMs,
        });
      const recorded = async () =>
        (await keyNeeds(database, { now: at })).find(({ keyId }) => keyId === current.keyId)?.usedAt;
      const frequent = use(20);
      await frequent.start();
      assert.deepEqual(await recorded(), at);
      at = new Date(at.getTime() + 600_000);
      for (let waited = 0; (await recorded())?.getTime() !== at.getTime(); waited += 10) {
        assert.ok(waited < 5_000, 'it is not recorded again');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await frequent.stop();
      const rare = use(600_000);
      await rare.start();
      at = new Date(at.getTime() + 1_000);
      await rare.stop();
      assert.deepEqual(await recorded(), at);
    }));
});

describe('rollcall keys', () => {
  inOwnFolder();

  test('shows what needs the previous key and until when, and moves the webhook secrets', async () => {
    const before = await keys();
    assert.deepEqual(
      before.keys.map((one: { key: string; role: string }) => [one.key, one.role]),
      [
        [current.keyId, 'current'],
        [old.keyId, 'previous'],
      ],
    );
    const [, previous] = before.keys;
    assert.deepEqual(Object.keys(previous), [
      ...[
        'key',
        'role',
        'webhook_secrets',
        'sign_on_secrets',
        'code_secrets',
        'recovery_codes',
        'access_keys',
      ],
      ...['invitations', 'calendar_feeds', 'directory_tokens', 'login_links', 'sessions'],
      ...['tokens_until', 'can_be_dropped', 'organizations', 'more_organizations'],
    ]);
    assert.deepEqual(
      [previous.webhook_secrets, previous.access_keys, previous.can_be_dropped],
      [1, 1, false],
    );
    assert.deepEqual(previous.organizations, [
      {
        id: organizationId,
        name: 'Northwind',
        webhook_secret: true,
        sign_on_secret: false,
        access_key: true,
        invitations: false,
        calendar_feeds: false,
        directory_token: false,
      },
    ]);
    const remainingMs = Date.parse(previous.tokens_until) - Date.now();
    assert.ok(remainingMs > 23 * 3_600_000 && remainingMs < 25 * 3_600_000, previous.tokens_until);

    const { keys: after, resealed } = await keys('--reseal');
    assert.deepEqual(resealed, { webhook_secrets: 1, sign_on_secrets: 0, code_secrets: 0, left: [] });
    assert.deepEqual([after[0].webhook_secrets, after[1].webhook_secrets], [1, 0]);
    const again = { webhook_secrets: 0, sign_on_secrets: 0, code_secrets: 0, left: [] };
    assert.deepEqual((await keys('--reseal')).resealed, again);

    const table = await run(['keys'], { cwd, env: afterRotation });
    assert.match(table.stdout, new RegExp(`^${old.keyId} +previous +0 +0 +0 +0 +1 +0`, 'm'));
    assert.match(
      table.stderr,
      /access keys move when they are next used.*\n.*: needed by 1000000000001 Northwind\n$/,
    );
    for (const secret of [first, second, accessKey]) assert.ok(!table.stdout.includes(secret));
  });

  test('says what to do about data under a key that is not configured', async () => {
    await keys();
    const { code, stdout, stderr } = await run(['keys'], { cwd, env: { ...url, SECRET_KEY: second } });
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^${old.keyId} +missing +1 +0 +0 +0 +1 `, 'm'));
    assert.deepEqual(linesOf(stderr), [
      `${old.keyId}: this key is not configured; add it to SECRET_KEY_PREVIOUS.`,
      `${old.keyId}: to move its webhook secrets, run "rollcall keys --reseal".`,
      `${old.keyId}: access keys move when they are next used or replaced; no command can move them.`,
      `${old.keyId}: needed by ${organizationId} Northwind`,
    ]);
  });

  test('serve names the organizations that still need a removed key, and the metrics count them', async () => {
    await keys('--reseal');
    const { warnings, metricsPort, server } = await serve({ ...url, SECRET_KEY: second });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0].msg, /^Something stored needs a secret key that is not configured/);
    assert.deepEqual(
      [warnings[0].keyId, warnings[0].organizations, warnings[0].stored.accessKeys],
      [old.keyId, [{ id: organizationId, name: 'Northwind' }], 1],
    );
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const line = `rollcall_secret_key_needed{key="${old.keyId}",role="missing",kind="accessKeys"} 1`;
    assert.ok(metrics.includes(line), metrics.match(/rollcall_secret_key_.*/g)?.join('\n'));
    assert.equal((await server.stop()).code, 0);
  });

  test('serve says when a previous key is no longer needed: its tokens have expired and no access key uses it', async () => {
    await keys('--reseal');
    const { server, port, metricsPort, warnings } = await serve(afterRotation);
    assert.deepEqual(warnings, []);
    await tokenOf(`http://127.0.0.1:${port}`, accessKey);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const [, until] =
      new RegExp(
        `^rollcall_secret_key_tokens_until_timestamp_seconds\\{key="${old.keyId}"\\} (\\S+)$`,
        'm',
      ).exec(metrics) ?? [];
    assert.ok(Number(until) * 1000 > Date.now() + 23 * 3_600_000, until);
    assert.equal((await server.stop()).code, 0);
    await withOwnDatabase(({ write }) =>
      write(async (sql) => {
        const twoDaysAgo = new Date(Date.now() - 48 * 3_600_000);
        await sql.run('UPDATE secret_key_uses SET used_at = ? WHERE key_id = ?', [twoDaysAgo, old.keyId]);
      }),
    );
    assert.equal((await keys()).keys[1].can_be_dropped, true);
    const advice = await run(['keys'], { cwd, env: afterRotation });
    assert.deepEqual(linesOf(advice.stderr), [
      `${old.keyId}: nothing needs this key; remove it from SECRET_KEY_PREVIOUS.`,
    ]);
    const { warnings: laterWarnings } = await serve(afterRotation);
    assert.deepEqual(
      laterWarnings.map(({ msg, keyId }) => [msg, keyId]),
      [['Nothing needs this key of SECRET_KEY_PREVIOUS any more: it can be left out', old.keyId]],
    );
  });
});
