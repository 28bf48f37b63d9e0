import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openDatabase } from '#adapters/sql/index.js';
import {
  curls,
  freePort,
  linesOf,
  type Running,
  run,
  shell,
  start,
  temporaryDirectory,
} from '../support/app-cli.js';
import { formFields, pageClient, plainText, readableText } from '../support/page/client.js';

interface Guide {
  readonly database: string;
  readonly sample: Readonly<Record<string, number>>;
  readonly pages: string;
  readonly sign_ins: readonly { readonly email: string; readonly role: string; readonly password: string }[];
  readonly api: string;
  readonly docs: string;
  readonly openapi: string;
  readonly health: string;
  readonly organization: { readonly id: number; readonly name: string };
  readonly access_key: string;
  readonly access_key_works: boolean;
  readonly member: { readonly idp_id: string; readonly uuid: string; readonly name: string };
  readonly webhook_receiver: string;
  readonly curl: readonly { readonly about: string; readonly command: string }[];
}

/** What the tests read of an answer, whichever it is. */
interface Body {
  readonly success: unknown;
  readonly user: { readonly invitation_url: string };
  readonly otl_url: string;
  readonly meetings: readonly Readonly<Record<string, unknown>>[];
  readonly webhook: { readonly url: string };
}

describe('rollcall demo', () => {
  const directory = temporaryDirectory();
  const cwd = directory.path;
  let env: Readonly<Record<string, string>>;
  let demo: Running;
  let guide: Guide;

  async function startDemo(...options: readonly string[]): Promise<Running> {
    const started = start(['demo', ...options], { cwd, env });
    await started.see(/\n/);
    return started;
  }

  before(async () => {
    const port = await freePort();
    // A demo is the same everywhere: nothing of this has a say in it.
    env = {
      PORT: String(port),
      DATABASE_URL: 'postgres://me@db.example/production',
      SECRET_KEY: 'short',
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://production.example',
    };
    demo = await startDemo();
    guide = JSON.parse(demo.stdout());
  });
  after(async () => {
    await demo.stop('SIGKILL');
    directory.remove();
  });

  async function api(path: string, init: { readonly method?: string; readonly body?: unknown } = {}) {
    const authenticated = await fetch(`${guide.api}/authenticate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ access_key: guide.access_key }),
    });
    const { token } = (await authenticated.json()) as { readonly token: string };
    const response = await fetch(`${guide.api}/organizations/${guide.organization.id}${path}`, {
      method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  const browser = () => {
    const origin = new URL(guide.pages).origin;
    return pageClient({ url: origin, origin });
  };

  test('prints one JSON line off a terminal, with everything that a visitor needs', () => {
    assert.equal(linesOf(demo.stdout()).length, 1);
    const port = Number(env.PORT);
    assert.equal(guide.pages, `http://localhost:${port}/`);
    assert.equal(guide.api, `http://localhost:${port}/api/v2`);
    assert.ok(guide.database.startsWith(cwd) && guide.database.endsWith('demo.db'));
    const { registrations = 0, waitlist_entries = 0, ...sizes } = guide.sample;
    assert.deepEqual(sizes, { organizations: 3, members: 200, meetings: 2000 });
    assert.ok(registrations > 5000 && waitlist_entries > 1000);
    assert.equal(guide.access_key_works, true);
    assert.deepEqual(readdirSync(cwd), ['data']);
  });

  test('answers at every address that it prints, on this machine only', async () => {
    for (const url of [guide.pages, guide.docs, guide.openapi, guide.health]) {
      assert.equal((await fetch(url)).status, 200, url);
    }
    const port = new URL(guide.pages).port;
    const { networkInterfaces } = await import('node:os');
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal);
    if (outside !== undefined) await assert.rejects(fetch(`http://${outside.address}:${port}/healthz`));
  });

  test('every sign-in works with its password', async () => {
    for (const { email, password } of guide.sign_ins) {
      const answer = await browser().fillIn('/sign-in', { email, password });
      assert.equal(answer.status, 303, email);
    }
  });

  /** What happened in the organization, as its database holds it. */
  async function history() {
    const database = await openDatabase(`sqlite:${guide.database}`);
    const found = await database.write(async (sql) => ({
      deliveries: await sql.all<{ readonly state: string; readonly is_test: number }>(
        'SELECT id, state, is_test FROM deliveries ORDER BY id',
      ),
      reasons: await sql.all<{ readonly reason: string }>('SELECT reason FROM attempts ORDER BY started_at'),
      invitations: await sql.all<{ readonly accepted_at: unknown; readonly revoked_at: unknown }>(
        'SELECT email, accepted_at, revoked_at FROM invitations ORDER BY created_at, id',
      ),
      entries: await sql.all('SELECT action FROM audit_entries ORDER BY id'),
    }));
    await database.close();
    return found;
  }

  test('has deliveries and invitations in every state to show, and the last delivery has arrived', async () => {
    const { deliveries, reasons, invitations, entries } = await history();
    assert.deepEqual(
      deliveries.map(({ state, is_test }) => `${state}${is_test === 1 ? ' test' : ''}`),
      ['delivered test', 'delivered', 'delivered', 'failed', 'failed', 'delivered', 'delivered'],
    );
    assert.deepEqual(
      new Set(reasons.map(({ reason }) => reason)),
      new Set(['answered 204', 'answered 500', 'no connection within 5 s', 'certificate not trusted']),
    );
    const states = invitations.map(({ accepted_at, revoked_at }) =>
      accepted_at !== null ? 'accepted' : revoked_at !== null ? 'revoked' : 'pending',
    );
    assert.deepEqual([...states].sort(), [
      ...Array.from({ length: 6 }, () => 'accepted'),
      ...['pending', 'pending', 'revoked'],
    ]);
    assert.equal(entries.length, 13);
    assert.ok(!demo.stderr().includes('webhook'), 'nothing of it was sent');
  });

  for (const curl of curls) {
    test(`the commands work as printed (${curl})`, async () => {
      const script = guide.curl.map(({ command }) => command).join('\n');
      const { code, stdout, stderr } = await shell(script, cwd, curl);
      assert.equal(code, 0, stderr);
      const [upcoming, exported, invited, link] = linesOf(stdout).map((line) => JSON.parse(line));
      assert.equal(upcoming.meetings.length, 3);
      assert.ok(upcoming.total_items > 40);
      assert.ok(exported.success === true && exported.meetings.length > 0);
      assert.deepEqual(Object.keys(exported.meetings[0]), ['name', 'start_time', 'status']);
      assert.equal(invited.success, 'User invited successfully.');
      assert.equal(link.success, 'OTL link generated');
    });
  }

  test('the command on the page of the export works with the key in its place, and writes the same file', async () => {
    const { email = '', password = '' } = guide.sign_ins.find(({ role }) => role === 'admin') ?? {};
    const admin = browser();
    await admin.fillIn('/sign-in', { email, password });
    const query =
      'column[]=name&column[]=start_time&column[]=price&reporting_days=custom&start_time=2026-01-01T00:00&end_time=2099-12-31T23:59';
    const path = `/organizations/${guide.organization.id}/export`;
    const page = await admin.open(`${path}?${query}`);
    const command = plainText(/<code id="command">(.*?)<\/code>/s.exec(page.text)?.[1] ?? '');
    const { code, stderr } = await shell(
      command.replace(/^ACCESS_KEY=.*$/m, `ACCESS_KEY=${guide.access_key}`),
      cwd,
    );
    assert.equal(code, 0, stderr);
    const written = readFileSync(join(cwd, 'meetings.json'), 'utf8');
    assert.equal(written, (await admin.open(`${path}/meetings.json?${query}`)).text);
    assert.ok(JSON.parse(written).meetings.length > 500);
    rmSync(join(cwd, 'meetings.json'));
  });

  test('the whole journey: invite, accept in the browser, a verified webhook, a login link, the meetings, an export', async () => {
    const email = 'ada.lovelace@example.test';
    const invited = await api('/invite_user', { body: { email, first_name: 'Ada', last_name: 'Lovelace' } });
    assert.equal(invited.status, 200);
    const invitation = new URL(invited.body.user.invitation_url).pathname;

    const ada = browser();
    const page = await ada.open(invitation);
    assert.equal(page.status, 200);
    assert.match(readableText(page.text), /Join Northwind Wellness/);
    const fields = { ...formFields(page.text), password: 'a password of hers' };
    const accepted = await ada.send({ path: invitation, fields });
    assert.equal(accepted.status, 303, accepted.text);

    const [told = ''] = await demo.see(/^.*Ada Lovelace <ada\.lovelace@example\.test>.*$/m, 'stderr');
    assert.match(
      told,
      /The receiver verified user\.registered: .* joined Northwind Wellness \(event [0-9a-f-]{36}\)/,
    );

    const issued = await api(`/users/${guide.member.uuid}/generate_otl_url`, { method: 'POST' });
    assert.equal(issued.body.success, 'OTL link generated');
    const link = new URL(issued.body.otl_url).pathname;
    const dana = browser();
    const redeemed = await dana.send({ path: link, fields: formFields((await dana.open(link)).text) });
    assert.equal(redeemed.status, 303, redeemed.text);
    const meetings = await dana.open(redeemed.location ?? '');
    assert.equal(meetings.status, 200);
    assert.match(readableText(meetings.text), /Dana/);

    const upcoming = await api(`/members/${guide.member.idp_id}/upcoming_meetings?items=100`);
    const listed = upcoming.body.meetings;
    assert.ok(listed.some(({ registered }) => registered === true));
    const states = new Set(listed.map(({ waiting_status }) => waiting_status));
    for (const state of ['waiting', 'accepted', 'rejected', 'offered', 'expired', null])
      assert.ok(states.has(state), `${state}`);

    for (const preset of ['all', 'all_upcoming', 'today', 'last_week', 'last_month']) {
      const exported = await api(`/export_meetings?column[]=name&column[]=eap&reporting_days=${preset}`);
      assert.ok(exported.body.meetings.length > 0, preset);
    }
    const program = await api('/export_meetings', {
      body: { column: ['name'], reporting_days: 'all', report_type: 'eap_meetings' },
    });
    assert.ok(program.body.meetings.length > 50);
  });

  test('its receiver refuses what is not signed', async () => {
    const { request } = await import('node:https');
    const status = await new Promise((resolve, reject) => {
      const forged = request(
        guide.webhook_receiver,
        { method: 'POST', rejectUnauthorized: false },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      forged.on('error', reject);
      forged.setHeader('X-Service-Signature', `sha256=${'0'.repeat(64)}`);
      forged.end('{"event":"user.registered"}');
    });
    assert.equal(status, 401);
    await demo.see(/The receiver refused a webhook: the signature is wrong/, 'stderr');
  });

  test('a second one says in one line that the port, or the file, is taken', async () => {
    const sameFile = await run(['demo'], { cwd, env: { PORT: String(await freePort()) } });
    assert.deepEqual([sameFile.code, sameFile.stdout, linesOf(sameFile.stderr).length], [1, '', 1]);
    assert.match(sameFile.stderr, /Another process serves sqlite:data\/demo\.db already/);

    const elsewhere = temporaryDirectory();
    const samePort = await run(['demo'], { cwd: elsewhere.path, env });
    elsewhere.remove();
    assert.deepEqual([samePort.code, samePort.stdout], [1, '']);
    assert.match(
      linesOf(samePort.stderr).at(-1) ?? '',
      new RegExp(`^PORT: ${env.PORT} on 127\\.0\\.0\\.1 is taken by another program`),
    );
  });

  test('ends with 0, and a second start prints the same and finds what visitors left', async () => {
    await api('/webhook', {
      body: { webhook: { url: 'https://example.com/mine', enabled: true, events: ['user.registered'] } },
    });
    assert.equal((await demo.stop()).code, 0);
    const before = await history();
    demo = await startDemo();
    assert.deepEqual(await history(), before);
    assert.deepEqual(JSON.parse(demo.stdout()), {
      ...guide,
      webhook: { url: 'https://example.com/mine', enabled: true },
    });
    assert.ok(!demo.stderr().includes('Loading'));
    const { body } = await api('/webhook');
    assert.equal(body.webhook.url, 'https://example.com/mine');
    const again = await api('/invite_user', {
      body: { email: 'ada.lovelace@example.test', first_name: 'A', last_name: 'L' },
    });
    assert.equal(again.status, 400, 'she is a member already');
  });

  test('on another day the meetings move with it, and what visitors left stays', async () => {
    await demo.stop();
    const database = await openDatabase(`sqlite:${guide.database}`);
    await database.write(async (sql) => {
      // As if the sample had been loaded two days ago.
      await sql.run(
        `UPDATE meetings SET start_time = strftime('%Y-%m-%dT%H:%M:%fZ', start_time, '-2 days') WHERE id = 1`,
      );
    });
    await database.close();
    demo = await startDemo();
    assert.match(demo.stderr(), /Loading the sample data/);
    assert.deepEqual(JSON.parse(demo.stdout()), {
      ...guide,
      webhook: { url: 'https://example.com/mine', enabled: true },
    });
    const first = await api('/export_meetings', {
      body: { column: ['start_time'], reporting_days: 'all', page: 1, per_page: 1 },
    });
    const year = 365 * 24 * 60 * 60 * 1000;
    const midnight = new Date(Date.now() - year).toISOString().slice(0, 10);
    assert.ok(String(first.body.meetings[0]?.start_time) >= midnight);
    const again = await api('/invite_user', {
      body: { email: 'ada.lovelace@example.test', first_name: 'A', last_name: 'L' },
    });
    assert.equal(again.status, 400, 'she is a member still');
    assert.equal((await api('/webhook')).body.webhook.url, 'https://example.com/mine');
  });

  test('says what to do when its key is gone', async () => {
    await demo.stop();
    rmSync(`${guide.database}.key`);
    const { code, stdout, stderr } = await run(['demo'], { cwd, env });
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(
      stderr,
      'data/demo.db.key is missing or damaged. Start with new data: rollcall demo --fresh\n',
    );
  });

  test('starts again with new data with --fresh, whatever was changed or lost, but not while a demo runs', async () => {
    demo = await startDemo('--fresh');
    assert.match(demo.stderr(), /Loading the sample data/);
    assert.deepEqual(JSON.parse(demo.stdout()), guide);
    assert.equal((await api('/webhook')).body.webhook.url, guide.webhook_receiver);

    const second = await run(['demo', '--fresh'], { cwd, env: { PORT: String(await freePort()) } });
    assert.deepEqual([second.code, second.stdout], [1, '']);
    assert.equal(second.stderr, 'Another process serves sqlite:data/demo.db already. Stop it first.\n');
    assert.equal((await api('/webhook')).status, 200, 'the running one has lost nothing');
  });

  test('once the access key is replaced prints commands that wait for the new one, until a fresh start', async () => {
    const database = { DATABASE_URL: 'sqlite:data/demo.db' };
    const made = await run(['access-key', 'generate', '--organization', '1', '--json'], {
      cwd,
      env: database,
    });
    const { access_key: key } = JSON.parse(made.stdout) as { readonly access_key: string };
    await demo.stop('SIGKILL');
    demo = await startDemo();
    const changed = JSON.parse(demo.stdout()) as Guide;
    assert.equal(changed.access_key_works, false);
    const script = changed.curl.map(({ command }) => command).join('\n');
    assert.ok(!script.includes(guide.access_key));
    const [first, ...others] = script.split('\n');
    assert.equal(first, "ACCESS_KEY='your new access key, 24 digits'");
    assert.deepEqual(
      others.slice(1),
      guide.curl.slice(1).map(({ command }) => command),
    );
    const { code, stdout } = await shell([`ACCESS_KEY='${key}'`, ...others].join('\n'), cwd);
    assert.deepEqual([code, linesOf(stdout).length], [0, 4]);
    assert.equal(JSON.parse(linesOf(stdout)[0] ?? '').meetings.length, 3);

    await demo.stop('SIGKILL');
    demo = await startDemo('--fresh');
    assert.deepEqual(JSON.parse(demo.stdout()), guide);
  });

  test('prints an aligned list for people', async () => {
    const { createGuide, guideLines } = await import('#app/demo/guide.js');
    const lines = guideLines(
      createGuide({
        publicUrl: 'http://localhost:3000',
        database: 'data/demo.db',
        counts: { organization: 3, meeting: 2000, registration: 1, waitlist_entry: 1 },
        receiverUrl: guide.webhook_receiver,
        webhook: { url: 'https://elsewhere.test/', enabled: true },
        isAccessKeyValid: false,
      }),
    );
    const text = lines.join('\n');
    for (const part of [
      'data/demo.db',
      '2,000 meetings',
      'owner@northwind.test    owner: the access key, ',
      guide.access_key,
      'no longer valid; to restore it: npm run demo -- --fresh',
      "ACCESS_KEY='your new access key, 24 digits'",
      'to start again with new data: npm run demo -- --fresh',
      'https://elsewhere.test/ (changed); the demo’s receiver',
      'idp-0',
      `TOKEN=$(curl -sS -f http://localhost:3000/api/v2/authenticate`,
    ]) {
      assert.ok(text.includes(part), part);
    }
    const begins = ['data/demo.db', '3 organizations', 'owner@', 'admin@', guide.access_key].map((part) =>
      lines.find((line) => line.includes(part))?.indexOf(part),
    );
    assert.equal(new Set(begins).size, 1, text);
  });
});
