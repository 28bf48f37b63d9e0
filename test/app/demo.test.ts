import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request } from 'node:https';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { curl, freePort, linesOf, run, shell, temporaryDirectory } from '../support/app-cli.js';
import { type Guide, startTestDemo, type TestDemo } from '../support/demo.js';
import { formFields, plainText, readableText } from '../support/page/client.js';

describe('rollcall demo', () => {
  let demo: TestDemo;
  let guide: Guide;
  before(async () => {
    demo = await startTestDemo();
    guide = demo.guide;
  });
  after(() => demo.remove());

  test('prints one line of JSON if it is not on a terminal, with everything that a visitor needs', () => {
    assert.equal(linesOf(demo.process().stdout()).length, 1);
    const port = Number(demo.env.PORT);
    assert.equal(guide.pages, `http://localhost:${port}/`);
    assert.equal(guide.api, `http://localhost:${port}/api/v2`);
    assert.ok(guide.database.startsWith(demo.cwd) && guide.database.endsWith('demo.db'));
    const { registrations = 0, waitlist_entries = 0, ...sizes } = guide.sample;
    assert.deepEqual(sizes, { organizations: 3, members: 200, meetings: 2000 });
    assert.ok(registrations > 5000 && waitlist_entries > 1000);
    assert.equal(guide.access_key_works, true);
    assert.deepEqual(readdirSync(demo.cwd), ['data']);
  });

  test('answers at every address that it prints, on this machine only', async () => {
    for (const url of [guide.pages, guide.mails, guide.guide, guide.docs, guide.openapi, guide.health]) {
      assert.equal((await fetch(url)).status, 200, url);
    }
    const port = new URL(guide.pages).port;
    for (const [host, status] of [
      ['rebound.example.com', 400],
      [`127.0.0.1:${port}`, 200],
    ] as const) {
      const outgoing = requestHttp(guide.mails, { headers: { host } }).end();
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      assert.equal(answer.resume().statusCode, status, host);
    }
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal);
    if (outside !== undefined) await assert.rejects(fetch(`http://${outside.address}:${port}/healthz`));
  });

  test('prints its mails and shows them on a page, with links that work', async () => {
    const browser = demo.browser();
    await browser.fillIn('/forgot-password', { email: 'admin@northwind.test' });
    await demo.process().see(/✉ Mail to admin@northwind\.test: Reset your password for \S+ http/, 'stderr');
    const { text } = await browser.open('/mails');
    const [, link = ''] = /<a href="http:\/\/localhost:\d+(\/reset-password\/[^"]+)"/.exec(text) ?? [];
    assert.match(readableText((await browser.open(link)).text), /Choose a new password/);
    const [owner] = guide.sign_ins;
    await browser.fillIn('/sign-in', { email: owner?.email ?? '', password: owner?.password ?? '' });
    assert.match(
      readableText((await browser.open('/mails')).text),
      /Account: .* Sign out Emails This is a demo\./,
    );
  });

  test('every sign-in works with its password', async () => {
    for (const { email, password } of guide.sign_ins) {
      const answer = await demo.browser().fillIn('/sign-in', { email, password });
      assert.equal(answer.status, 303, email);
    }
    const refused = await demo
      .browser()
      .fillIn('/sign-in', { email: 'member@northwind.test', password: 'x' });
    assert.match(
      readableText(refused.text),
      /Someone may have changed a password of this demo\. Start again brings back the sample data/,
    );
  });

  test('lists calls of the API, one of them refused, and a change of a role', async () => {
    const [owner] = guide.sign_ins;
    const browser = demo.browser();
    await browser.fillIn('/sign-in', { email: owner?.email ?? '', password: owner?.password ?? '' });
    const calls = readableText((await browser.open('/organizations/1/calls')).text);
    assert.match(
      calls,
      /export_meetings\?column&reporting_days .*400 start_time and end_time are both required when reporting_days is custom invalid-request/,
    );
    const activity = readableText((await browser.open('/organizations/1/activity?kind=people')).text);
    assert.match(activity, /Jonas Weber/);
  });

  test('has deliveries and invitations in every state, and the last delivery was delivered', async () => {
    const { deliveries, reasons, invitations, entries } = await demo.history();
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
    assert.equal(entries.length, 14);
    assert.ok(!demo.process().stderr().includes('webhook'), 'no webhook was sent');
  });

  test(`the commands work as printed (${curl})`, async () => {
    const script = guide.curl.map(({ command }) => command).join('\n');
    const { code, stdout, stderr } = await shell(script, demo.cwd);
    assert.equal(code, 0, stderr);
    const [upcoming, exported, invited, link] = linesOf(stdout).map((line) => JSON.parse(line));
    assert.equal(upcoming.meetings.length, 3);
    assert.ok(upcoming.total_items > 40);
    assert.ok(exported.success === true && exported.meetings.length > 0);
    assert.deepEqual(Object.keys(exported.meetings[0]), ['name', 'start_time', 'status']);
    assert.equal(invited.success, 'User invited successfully.');
    assert.equal(link.success, 'OTL link generated');
  });

  test('the command on the export page works with the access key inserted, and writes the same file', async () => {
    const { email = '', password = '' } = guide.sign_ins.find(({ role }) => role === 'admin') ?? {};
    const admin = demo.browser();
    await admin.fillIn('/sign-in', { email, password });
    const query =
      'column[]=name&column[]=start_time&column[]=price&reporting_days=custom&start_time=2026-01-01T00:00&end_time=2099-12-31T23:59';
    const path = `/organizations/${guide.organization.id}/export`;
    const page = await admin.open(`${path}?${query}`);
    const command = plainText(/<code id="command">(.*?)<\/code>/s.exec(page.text)?.[1] ?? '');
    const { code, stderr } = await shell(
      command.replace(/^ACCESS_KEY=.*$/m, `ACCESS_KEY=${guide.access_key}`),
      demo.cwd,
    );
    assert.equal(code, 0, stderr);
    const written = readFileSync(join(demo.cwd, 'meetings.json'), 'utf8');
    assert.equal(written, (await admin.open(`${path}/meetings.json?${query}`)).text);
    assert.ok(JSON.parse(written).meetings.length > 500);
    rmSync(join(demo.cwd, 'meetings.json'));
  });

  test('a visitor can invite, accept, receive a verified webhook, use a login link, list meetings and export', async () => {
    const email = 'ada.lovelace@example.test';
    const invited = await demo.api('/invite_user', {
      body: { email, first_name: 'Ada', last_name: 'Lovelace' },
    });
    assert.equal(invited.status, 200);
    const invitation = new URL(invited.body.user.invitation_url).pathname;

    const ada = demo.browser();
    const page = await ada.open(invitation);
    assert.equal(page.status, 200);
    assert.match(readableText(page.text), /Join Northwind Wellness/);
    const fields = { ...formFields(page.text), password: 'a password of hers' };
    const accepted = await ada.send({ path: invitation, fields });
    assert.equal(accepted.status, 303, accepted.text);

    const [received = ''] = await demo
      .process()
      .see(/^.*Ada Lovelace <ada\.lovelace@example\.test>.*$/m, 'stderr');
    assert.match(
      received,
      /The receiver verified user\.registered: .* joined Northwind Wellness \(event [0-9a-f-]{36}\)/,
    );

    const issued = await demo.api(`/users/${guide.member.uuid}/generate_otl_url`, { method: 'POST' });
    assert.equal(issued.body.success, 'OTL link generated');
    const link = new URL(issued.body.otl_url).pathname;
    const dana = demo.browser();
    const redeemed = await dana.send({ path: link, fields: formFields((await dana.open(link)).text) });
    assert.equal(redeemed.status, 303, redeemed.text);
    const meetings = await dana.open(redeemed.location ?? '');
    assert.equal(meetings.status, 200);
    assert.match(readableText(meetings.text), /Dana/);

    const upcoming = await demo.api(`/members/${guide.member.idp_id}/upcoming_meetings?items=100`);
    const listed = upcoming.body.meetings;
    assert.ok(listed.some(({ registered }) => registered === true));
    const states = new Set(listed.map(({ waiting_status }) => waiting_status));
    for (const state of ['waiting', 'accepted', 'rejected', 'offered', 'expired', null])
      assert.ok(states.has(state), `${state}`);

    for (const preset of ['all', 'all_upcoming', 'today', 'last_week', 'last_month']) {
      const exported = await demo.api(`/export_meetings?column[]=name&column[]=eap&reporting_days=${preset}`);
      assert.ok(exported.body.meetings.length > 0, preset);
    }
    const program = await demo.api('/export_meetings', {
      body: { column: ['name'], reporting_days: 'all', report_type: 'eap_meetings' },
    });
    assert.ok(program.body.meetings.length > 50);
  });

  test('its receiver refuses an unsigned webhook', async () => {
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
      forged.setHeader('X-Rollcall-Signature', `sha256=${'0'.repeat(64)}`);
      forged.end('{"event":"user.registered"}');
    });
    assert.equal(status, 401);
    await demo.process().see(/The receiver refused a webhook: the signature is wrong/, 'stderr');
  });

  test('its receiver verifies every webhook while the secret is rotated with an overlap', async () => {
    const sendTest = async () => {
      const { body } = await demo.api('/webhook/test', { method: 'POST' });
      assert.equal(body.delivery.state, 'delivered');
    };
    const rotation = { webhook: { enabled: true }, regenerate_secret: '1', overlap_hours: 1 };
    assert.equal((await demo.api('/webhook', { method: 'PATCH', body: rotation })).status, 200);
    await sendTest();
    await demo
      .process()
      .see(/The receiver verified user\.registered: a test with a made-up user \(event /, 'stderr');
    assert.equal((await demo.api('/webhook/finish_rotation', { method: 'POST' })).status, 200);
    await sendTest();
  });

  test('one press signs in as an owner, an admin or a member', async () => {
    const page = (await demo.browser().open('/sign-in')).text;
    assert.match(
      readableText(page),
      /This is a demo\. Everyone’s password is try-it-yourself \. Sign in as Owner Admin Member/,
    );
    for (const { email } of guide.sign_ins) {
      assert.ok(page.includes(`name="email" value="${email}"`), email);
      assert.equal((await demo.browser().fillIn('/sign-in', { email })).status, 303, email);
    }
  });

  test('had its people and its access key before what they did', async () => {
    const browser = demo.browser();
    await browser.fillIn('/sign-in', { email: 'owner@northwind.test' });
    const textOf = async (path: string) => readableText((await browser.open(path)).text);
    const thisYear = String(new Date().getUTCFullYear());
    const owner = await textOf('/organizations/1/people/1');
    const [, joined = thisYear] = /Joined \d+ \w+ (\d{4}),/.exec(owner) ?? [];
    assert.ok(joined < thisYear, 'joined before the activity');
    const settings = await textOf('/organizations/1/settings');
    const [, created = thisYear] = /Created \d+ \w+ (\d{4}),/.exec(settings) ?? [];
    assert.ok(created < thisYear, 'created before the calls');
    assert.doesNotMatch(settings, /Last used Never/);
    const [, joiners = '50'] =
      /(\d+)(?: or more)? new this week/.exec(await textOf('/organizations/1')) ?? [];
    assert.ok(Number(joiners) < 10, joiners);
  });

  test('a visitor can start it again: all is as at the first start, and everyone is signed out', async () => {
    const [{ email = '' } = {}] = guide.sign_ins;
    const [visitor, other] = [demo.browser(), demo.browser()];
    for (const browser of [visitor, other]) await browser.fillIn('/sign-in', { email });
    const home = (await visitor.open('/meetings')).location ?? '';
    assert.match(
      readableText((await visitor.open(home)).text),
      /Demo All people are made up\. Emails Start again/,
    );
    await visitor.fillIn('/forgot-password', { email });
    await demo.process().see(new RegExp(`Mail to ${email}`), 'stderr');
    const changed = await demo.history();

    const asked = await visitor.open('/start-again');
    assert.match(readableText(asked.text), /Start the demo again\? Everything that you and others changed/);
    // Both have the question before them when one of them answers it.
    const stranger = demo.browser();
    const shown = await stranger.open('/start-again');
    const answers = await Promise.all([
      visitor.send({ path: '/start-again', fields: formFields(asked.text) }),
      stranger.send({ path: '/start-again', fields: formFields(shown.text) }),
    ]);
    for (const { status, location } of answers) assert.deepEqual([status, location], [303, '/sign-in']);
    assert.match(readableText((await visitor.open('/sign-in')).text), /The demo has started again/);
    assert.equal((await other.open(home)).status, 303);
    assert.match(readableText((await other.open('/mails')).text), /No emails yet/);

    const { deliveries, invitations, entries } = await demo.history();
    assert.ok(
      changed.deliveries.length > deliveries.length && changed.invitations.length > invitations.length,
    );
    assert.deepEqual([deliveries.length, invitations.length, entries.length], [7, 9, 14]);
    assert.equal((await demo.api(`/members/${guide.member.idp_id}/upcoming_meetings`)).status, 200);
    assert.equal((await demo.api('/webhook/test', { method: 'POST' })).body.delivery.state, 'delivered');
  });

  test('a second demo reports in one line that the port or the file is in use', async () => {
    const sameFile = await run(['demo'], { cwd: demo.cwd, env: { PORT: String(await freePort()) } });
    assert.deepEqual([sameFile.code, sameFile.stdout, linesOf(sameFile.stderr).length], [1, '', 1]);
    assert.match(sameFile.stderr, /Another process serves sqlite:data\/demo\.db already/);

    const elsewhere = temporaryDirectory();
    const samePort = await run(['demo'], { cwd: elsewhere.path, env: demo.env });
    elsewhere.remove();
    assert.deepEqual([samePort.code, samePort.stdout], [1, '']);
    assert.match(
      linesOf(samePort.stderr).at(-1) ?? '',
      new RegExp(`^PORT: ${demo.env.PORT} on 127\\.0\\.0\\.1 is taken by another program`),
    );
  });
});
