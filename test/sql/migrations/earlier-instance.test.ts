import '../../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { verifyWebhook } from '@rollcall/contracts/webhooks';
import pg from 'pg';
import { createLog } from '#adapters/node/system/log.js';
import { readConfig } from '#app/config.js';
import { type StartedService, startService } from '#app/main.js';
import { freePort, linesOf, type Running, temporaryDirectory } from '../../support/app-cli.js';
import type { OpenedDatabase } from '../../support/opened-database.js';
import { type PageClient, pageClient, readableText } from '../../support/page/client.js';
import { authenticate } from '../../support/postgres-instances.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { recordedSecrets, startRecorded, startRecordedProgram } from '../../support/recorded-release.js';
import { holdReadLock } from '../../support/served-migration.js';
import { type SteadyCalls, startSteadyCalls, until } from '../../support/steady-calls.js';

/**
 * The program of release 0.1.0, as it was recorded, serves a PostgreSQL database of its time. Today's `migrate` changes
 * the schema under it, and today's program joins it. Both keep serving, as in an update of one instance after the other.
 */
describe('An instance of release 0.1.0', { timeout: 120_000 }, () => {
  const { secretKey, accessKey, password } = recordedSecrets;
  const owner = { email: 'dana@example.test', password };
  const zoe = '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0101';
  const home = '/organizations/1/meetings';
  const origin = 'http://127.0.0.1:3000';
  /** The level of pino's lines about what is normal. */
  const INFO = 30;
  const json = { 'Content-Type': 'application/json' };

  const directory = temporaryDirectory();
  let recorded: OpenedDatabase;
  let receiver: Receiver;
  let earlier: Running;
  let current: StartedService | undefined;
  let urls: { readonly earlier: string; readonly current: string };
  let token: string;
  let signingSecret: string;
  let calls: SteadyCalls;
  /** Email addresses of the people who have registered. */
  const registered: string[] = [];

  before(async () => {
    [recorded, receiver] = await Promise.all([startRecorded.postgres('0.1.0'), startReceiver()]);
    writeFileSync(join(directory.path, 'ca.pem'), receiver.authority);
    const ports = [await freePort(), await freePort()];
    urls = { earlier: `http://127.0.0.1:${ports[0]}`, current: `http://127.0.0.1:${ports[1]}` };
    earlier = await startRecordedProgram('0.1.0', { cwd: directory.path, env: environment(ports[0]) });
    token = await tokenFrom(urls.earlier);
    const configured = await ask('PATCH', '/webhook', { webhook, regenerate_secret: true });
    signingSecret = configured.webhook.secret;
    calls = startSteadyCalls(operations);
  });
  after(async () => {
    await calls?.end();
    await current?.stop();
    await earlier?.stop('SIGKILL');
    await receiver?.stop();
    await recorded?.stop();
    directory.remove();
  });

  function environment(port: number | undefined): Record<string, string> {
    return {
      DATABASE_URL: recorded.url,
      SECRET_KEY: secretKey,
      PORT: String(port),
      PUBLIC_URL: origin,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      WEBHOOK_CA_FILE: join(directory.path, 'ca.pem'),
    };
  }

  async function tokenFrom(url: string, key = accessKey): Promise<string> {
    const answer = await authenticate(url, key);
    assert.equal(answer.status, 200, await answer.clone().text());
    return ((await answer.json()) as { readonly token: string }).token;
  }

  function send(method: string, path: string, body?: unknown, url = urls.earlier, by = token) {
    return fetch(`${url}/api/v2/organizations/1${path}`, {
      method,
      headers: { Authorization: `Bearer ${by}`, ...(body !== undefined && json) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Calls the earlier instance, which has to answer 200. */
  async function ask(method: string, path: string, body?: unknown) {
    const answer = await send(method, path, body);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return JSON.parse(text);
  }

  const browser = (url: string): PageClient => pageClient({ url, origin });

  async function signedIn(url: string): Promise<PageClient> {
    const client = browser(url);
    const { status, text } = await client.fillIn('/sign-in', owner);
    assert.equal(status, 303, text);
    assert.equal((await client.open(home)).status, 200);
    return client;
  }

  /** Opens the link that the earlier instance has issued for a member, and signs in by it. */
  async function redeem({ otl_url }: { readonly otl_url: string }, url = urls.earlier): Promise<void> {
    const { status, text } = await browser(url).fillIn(new URL(otl_url).pathname, {});
    assert.equal(status, 303, text);
  }

  /** Invites a person through the earlier instance. The person accepts at `url`. */
  async function register(email: string, url = urls.earlier): Promise<void> {
    const { user } = await ask('POST', '/invite_user', { email, first_name: 'Ada', last_name: 'Lovelace' });
    const accepted = await browser(url).fillIn(new URL(user.invitation_url).pathname, {
      password: 'long enough',
    });
    assert.equal(accepted.status, 303, accepted.text);
    registered.push(email);
  }

  const webhook = {
    get url() {
      return `${receiver.url}/hook`;
    },
    enabled: true,
    events: ['user.registered'],
  };
  const held = { success: true, meetings: [{ name: 'Held circle' }] };

  /** Every operation that 0.1.0 has, as its clients call it. */
  const operations = {
    authenticate: () => tokenFrom(urls.earlier),
    inviteUser: () =>
      ask('POST', '/invite_user', { email: 'a@example.test', first_name: 'A', last_name: 'B' }),
    issueLoginLink: async () => redeem(await ask('POST', `/users/${zoe}/generate_otl_url`)),
    issueLoginLinkBySegment: async () => redeem(await ask('POST', `/users/${zoe}/one_time_login_link`)),
    async listUpcomingMeetings() {
      const { meetings } = await ask('GET', '/members/idp-1/upcoming_meetings');
      assert.deepEqual(
        meetings.map(({ name }: { readonly name: string }) => name),
        ['Grief circle'],
      );
    },
    async readWebhook() {
      assert.equal((await ask('GET', '/webhook')).webhook.url, webhook.url);
    },
    createWebhook: () => ask('POST', '/webhook', { webhook }),
    changeWebhook: () => ask('PATCH', '/webhook', { webhook: { enabled: true } }),
    async exportMeetings() {
      assert.deepEqual(await ask('GET', '/export_meetings?column[]=name&reporting_days=all_past'), held);
    },
    async exportMeetingsByPost() {
      const range = { column: ['name'], reporting_days: 'all_past' };
      assert.deepEqual(await ask('POST', '/export_meetings', range), held);
    },
    async probes() {
      for (const path of ['/healthz', '/readyz', '/openapi.json'])
        assert.equal((await fetch(`${urls.earlier}${path}`)).status, 200, path);
    },
    signIn: () => signedIn(urls.earlier),
    register: () => register(`person-${registered.length}@example.test`),
  };

  test('answers every operation while today’s migrations run, and afterwards', async () => {
    await calls.eachAnswered();
    const client = new pg.Client({ connectionString: recorded.url, query_timeout: 30_000 });
    await client.connect();
    // The migrations stop half-way, until every operation was answered in between.
    await holdReadLock(client, 'deliveries');
    const migrating = recorded.database.migrate();
    try {
      await until(async () => (await recorded.database.pendingMigrations())[0] === '0005-feeds');
      await calls.eachAnswered();
    } finally {
      await client.end();
      await migrating;
    }
    assert.deepEqual(await recorded.database.pendingMigrations(), []);
    await calls.eachAnswered();
  });

  test('shares tokens, sessions and login links with an instance of this release', async () => {
    const port = Number(new URL(urls.current).port);
    const config = readConfig(environment(port), () => undefined);
    current = await startService({ config, log: createLog({ level: 'silent' }), migrate: false });
    const currentToken = await tokenFrom(urls.current);
    for (const url of Object.values(urls)) {
      for (const by of [token, currentToken])
        assert.equal((await send('GET', '/webhook', undefined, url, by)).status, 200);
    }
    for (const [from, to] of [Object.values(urls), Object.values(urls).reverse()]) {
      // A release without the port in the names of cookies.
      const cookies = new Map(
        [...(await signedIn(from ?? '')).cookies()].flatMap(([name, value]) =>
          ['', '3000-'].map((start) => [`${start}${name.replace(/^3000-/, '')}`, value] as const),
        ),
      );
      const there = pageClient({ url: to ?? '', origin }, cookies);
      assert.equal((await there.open(home)).status, 200);
      assert.equal((await there.fillIn(home, {}, '/sign-out')).status, 303);
      const after = await pageClient({ url: from ?? '', origin }, cookies).open(home);
      assert.deepEqual([after.status, after.location?.startsWith('/sign-in')], [303, true]);
    }
    await redeem(await ask('POST', `/users/${zoe}/generate_otl_url`), urls.current);
    await calls.eachAnswered();
  });

  test('and an instance of this release deliver each registration once, signed', async () => {
    await register('current@example.test', urls.current);
    await calls.end();
    assert.deepEqual(calls.problems, []);
    await until(async () => receiver.requests.length >= registered.length);
    const events = await Promise.all(
      receiver.requests.map(({ headers, body }) =>
        verifyWebhook({
          body,
          headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
          secret: signingSecret,
          serviceName: 'Service',
        }),
      ),
    );
    assert.deepEqual(events.map(({ user }) => user.email).sort(), [...registered].sort());
    await until(async () => (await deliveries()).every(({ state }) => state === 'delivered'));
    assert.equal((await deliveries()).length, registered.length);
    assert.equal(receiver.requests.length, registered.length);
  });

  function deliveries() {
    return recorded.database.read.all<{ readonly state: string }>(
      'SELECT state FROM deliveries WHERE created_at > ?',
      [new Date(Date.now() - 600_000)],
    );
  }

  test('refuses the tokens of an access key as soon as this release has replaced it', async () => {
    const client = await signedIn(urls.current);
    const page = '/organizations/1/access-key';
    const { location, text } = await client.fillIn(page, { keep_old_hours: '0' }, page);
    const key = /\b\d{24}\b/.exec(readableText((await client.open(location ?? '')).text))?.[0];
    assert.ok(key !== undefined, text);
    for (const url of Object.values(urls)) {
      assert.equal((await send('GET', '/webhook', undefined, url)).status, 401, url);
      assert.equal((await authenticate(url, accessKey)).status, 401, url);
      const replaced = await tokenFrom(url, key);
      for (const other of Object.values(urls))
        assert.equal((await send('GET', '/webhook', undefined, other, replaced)).status, 200, other);
    }
  });

  test('has logged no error and no warning', () => {
    const lines = linesOf(earlier.stdout()).map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.filter(({ level }) => level > INFO),
      [],
    );
    assert.equal(earlier.stderr(), '');
  });
});
