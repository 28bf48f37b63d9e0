import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { anOrganization, recordingSender } from '@rollcall/core/testing';
import { openDatabase } from '#adapters/sql/index.js';
import { freePort, linesOf, run, start } from '../support/app-cli.js';
import { folderForAll } from '../support/folders.js';
import { withDatabase } from '../support/opened-database.js';
import { startReceiver } from '../support/receiver.js';
import { startTestService, testSecretKey } from '../support/test-service.js';
import { webhookAt } from '../support/webhook-at.js';

const cwd = folderForAll();
before(createDeliveries);

/** Organization 1 has one delivered and two failed deliveries, an hour apart; organization 2 has a skipped one. */
async function createDeliveries(): Promise<void> {
  const database = await openDatabase(join(cwd, 'rollcall.db'));
  await database.migrate();
  const answers = [200, 500, null];
  const webhookSender = recordingSender(() => {
    const status = answers.shift() ?? null;
    if (status === null)
      return { duration: 12, outcome: 'failed', phase: 'tls', status, reason: 'certificate not trusted' };
    const outcome = status === 200 ? 'delivered' : 'failed';
    const response = { headers: { Server: 'nginx' }, body: `line 1\r\n\u001b[2Jline 2`, isTruncated: true };
    return { duration: 12, outcome, phase: 'answer', status, reason: `answered ${status}`, response };
  });
  const { core, clock, load } = await startTestService({ database, ports: { webhookSender } });
  await load({ organizations: [anOrganization(1), anOrganization(2)] });
  for (const id of [1, 2])
    await core.configureWebhook({
      ...{ organization: { id }, how: 'set' },
      webhook: webhookAt('https://receiver.test/'),
    });
  const register = async (organizationId: number, name: string): Promise<void> => {
    const email = `${name}@example.test`;
    await core.registerUser({ organizationId, email, firstName: name, lastName: 'Person' });
    await Promise.all(await core.deliverWebhooks({ limit: 1 }));
    clock.advance(60 * 60 * 1000);
  };
  for (const name of ['ada', 'bea', 'cid']) await register(1, name);
  await core.registerUser({ organizationId: 2, email: 'dan@example.test', firstName: 'Dan', lastName: 'P' });
  await core.configureWebhook({ organization: { id: 2 }, how: 'change', webhook: { enabled: false } });
  await Promise.all(await core.deliverWebhooks({ limit: 1 }));
  await database.close();
}

const environment = () => ({ DATABASE_URL: 'sqlite:rollcall.db', SECRET_KEY: testSecretKey });

function deliveries(...args: readonly string[]) {
  return run(['deliveries', ...args], { cwd, env: environment() });
}

interface Listed {
  readonly id: number;
  readonly organization_id: number;
  readonly event_id: string;
  readonly state: string;
  readonly attempts: readonly unknown[];
  readonly body?: string;
}

async function listed(...args: readonly string[]): Promise<readonly Listed[]> {
  const { code, stdout, stderr } = await deliveries('list', '--json', ...args);
  assert.deepEqual([code, stderr], [0, '']);
  return JSON.parse(stdout).deliveries;
}

describe('rollcall deliveries list', () => {
  test('lists the newest delivery first, with its result in words', async () => {
    const { code, stdout, stderr } = await deliveries('list');
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(
      linesOf(stdout).map((line) => line.split(/ {2,}/)),
      [
        ['ID', 'Time', 'Organization', 'Event', 'State', 'Attempts', 'Result'],
        ['4', '2026-11-20T15:00:00.000Z', '2', 'user.registered', 'skipped', '0', 'the webhook was off'],
        ['3', '2026-11-20T14:00:00.000Z', '1', 'user.registered', 'failed', '1', 'certificate not trusted'],
        ['2', '2026-11-20T13:00:00.000Z', '1', 'user.registered', 'failed', '1', 'answered 500'],
        ['1', '2026-11-20T12:00:00.000Z', '1', 'user.registered', 'delivered', '1', 'answered 200'],
      ],
    );
  });

  const filters: readonly (readonly [args: readonly string[], ids: readonly number[]])[] = [
    [
      ['--organization', '1'],
      [3, 2, 1],
    ],
    [
      ['--state', 'failed'],
      [3, 2],
    ],
    [
      ['--since', '2026-11-20T14:00:00Z'],
      [4, 3],
    ],
    [['--since', '2026-11-20T15:00:00+01:00', '--organization', '1'], [3]],
    [['--limit', '1'], [4]],
    [['--organization', '2', '--state', 'delivered'], []],
  ];
  for (const [args, ids] of filters) {
    test(`lists only what matches ${args.join(' ')}`, async () => {
      assert.deepEqual(
        (await listed(...args)).map(({ id }) => id),
        ids,
      );
    });
  }

  test('prints every attempt as JSON, and the body only with --body', async () => {
    const [delivery] = await listed('--state', 'delivered');
    assert.deepEqual(delivery, {
      id: 1,
      organization_id: 1,
      event_id: delivery?.event_id,
      event: 'user.registered',
      test: false,
      state: 'delivered',
      created_at: '2026-11-20T12:00:00.000Z',
      finished_at: '2026-11-20T12:00:00.000Z',
      result: 'answered 200',
      attempts: [
        {
          started_at: '2026-11-20T12:00:00.000Z',
          duration_ms: 12,
          outcome: 'delivered',
          phase: 'answer',
          status: 200,
          reason: 'answered 200',
        },
      ],
    });
    const [withBody] = await listed('--state', 'delivered', '--body');
    assert.equal(JSON.parse(withBody?.body ?? '{}').user.email, 'ada@example.test');
    const table = await deliveries('list', '--state', 'delivered', '--body');
    assert.equal(linesOf(table.stdout)[2], `  ${withBody?.body}`);
    assert.ok(!(await deliveries('list')).stdout.includes('@example.test'));
  });
});

describe('rollcall deliveries show', () => {
  test('prints a delivery with what was sent and answered, without control characters', async () => {
    const { code, stdout, stderr } = await deliveries('show', '1');
    assert.deepEqual([code, stderr], [0, '']);
    const [withBody] = await listed('--state', 'delivered', '--body');
    assert.deepEqual(
      linesOf(stdout).filter((line) => !/^> (?:X-|webhook-)/.test(line)),
      [
        'Delivery      1',
        'Organization  1',
        'Event         user.registered',
        `Event ID      ${withBody?.event_id}`,
        'Time          2026-11-20T12:00:00.000Z',
        'State         delivered',
        'Result        answered 200',
        'Attempts      1',
        `Body          ${withBody?.body}`,
        'Attempt 1: 2026-11-20T12:00:00.000Z, answered 200 after 12 ms, phase answer',
        '> POST https://receiver.test/',
        '> Content-Type: application/json',
        '> User-Agent: Service Webhook',
        '< 200',
        '< Server: nginx',
        '<',
        '< line 1',
        '< \uFFFD[2Jline 2',
        '(the response was longer)',
      ],
    );
    assert.match(stdout, /^> X-Service-Signature: sha256=/m);
  });

  test('says that a request was not sent, and shows no response then', async () => {
    const { stdout } = await deliveries('show', '3');
    const [, attempt = ''] = stdout.split('\n\n');
    const lines = linesOf(attempt);
    assert.match(lines[0] ?? '', /^Attempt 1: .*, certificate not trusted after 12 ms, phase tls$/);
    assert.equal(lines[1], '> POST https://receiver.test/');
    assert.equal(lines.at(-1), '(the request was not sent)');
    assert.ok(!stdout.includes('\n<'));
  });

  test('as JSON has the entry of the list, the body, and the requests and responses', async () => {
    const { code, stdout, stderr } = await deliveries('show', '1', '--json', '--organization', '1');
    assert.deepEqual([code, stderr], [0, '']);
    const [withBody] = await listed('--state', 'delivered', '--body');
    const { attempts, attempt_count: count, ...shown } = JSON.parse(stdout);
    const { attempts: listedAttempts, ...expected } = withBody ?? { attempts: [] };
    assert.deepEqual([shown, count], [expected, 1]);
    const [{ number, request, response, ...attempt }] = attempts;
    assert.deepEqual([[attempt], number], [listedAttempts, 1]);
    assert.equal(request.url, 'https://receiver.test/');
    assert.match(request.headers['X-Service-Signature'], /^sha256=/);
    const body = 'line 1\r\n\u001b[2Jline 2';
    assert.deepEqual(response, { headers: { Server: 'nginx' }, body, is_truncated: true });
  });

  test('finds no unknown delivery, and with --organization none of another one', async () => {
    for (const args of [['99'], ['1', '--organization', '2']]) {
      const { code, stdout, stderr } = await deliveries('show', ...args);
      assert.deepEqual([code, stdout, stderr], [1, '', `There is no delivery ${args[0]}\n`]);
    }
    const wrong = await deliveries('show', 'x');
    assert.equal(wrong.code, 2);
  });
});

describe('rollcall deliveries redeliver', () => {
  test('makes the running server resend deliveries with the same bytes', async () => {
    const receiver = await startReceiver();
    writeFileSync(join(cwd, 'ca.pem'), receiver.authority);
    const env = {
      ...environment(),
      PORT: String(await freePort()),
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      WEBHOOK_CA_FILE: 'ca.pem',
    };
    await setWebhookUrl(`${receiver.url}/hook`);
    const server = start(['serve'], { cwd, env });
    try {
      await server.see(/"msg":"Listening"/);
      const before = await listed('--organization', '1', '--body');
      const some = await deliveries('redeliver', '--failed', '--since', '2026-11-20T14:00:00Z', '--json');
      assert.deepEqual([some.code, JSON.parse(some.stdout), some.stderr], [0, { redelivered: 1 }, '']);
      await waitForRequests(receiver.requests, 1);
      const both = await deliveries('redeliver', '2', '1', '99');
      assert.deepEqual([both.code, both.stdout], [0, '2\n']);
      assert.match(both.stderr, /^There is no delivery 99\n/);
      await waitForRequests(receiver.requests, 3);
      await server.see(/(?:"msg":"Delivered"[\s\S]*){3}/);

      const after = await listed('--organization', '1', '--body');
      assert.deepEqual(
        after.map(({ id, state, attempts }) => [id, state, attempts.length]),
        [
          [3, 'delivered', 2],
          [2, 'delivered', 2],
          [1, 'delivered', 2],
        ],
      );
      assert.deepEqual(
        receiver.requests.map(({ body }) => body.toString()).sort(),
        before.map(({ body }) => body).sort(),
      );
      const none = await deliveries('redeliver', '--failed', '--since', '2026-01-01');
      assert.equal(none.code, 1);
    } finally {
      await server.stop();
      await receiver.stop();
    }
  });

  test('with --organization does not find a delivery of another organization', async () => {
    const { code, stderr } = await deliveries('redeliver', '1', '--organization', '2');
    assert.deepEqual(
      [code, stderr],
      [1, 'There is no delivery 1\nNo deliveries found: nothing is sent again.\n'],
    );
  });
});

async function setWebhookUrl(url: string): Promise<void> {
  await withDatabase(join(cwd, 'rollcall.db'), async (database) => {
    const { core } = await startTestService({ database });
    await core.configureWebhook({ organization: { id: 1 }, how: 'set', webhook: webhookAt(url) });
  });
}

async function waitForRequests(requests: readonly unknown[], count: number): Promise<void> {
  for (let waited = 0; requests.length < count; waited += 20) {
    assert.ok(waited < 60_000, `${requests.length} of ${count} requests arrived`);
    await pause(20);
  }
}
