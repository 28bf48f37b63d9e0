import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { openDatabase } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { freePort, linesOf, run, shell } from '../support/app-cli.js';
import { type Guide, startTestDemo, type TestDemo } from '../support/demo.js';
import { readableText } from '../support/page/client.js';

/** Invites a user, who accepts; the demo's own receiver gets the webhook. */
async function registerVisitor(demo: TestDemo): Promise<void> {
  const { body } = await demo.api('/invite_user', {
    body: { email: 'ada.lovelace@example.test', first_name: 'Ada', last_name: 'Lovelace' },
  });
  const path = new URL(body.user.invitation_url).pathname;
  const accepted = await demo.browser().fillIn(path, { password: 'a password of hers' });
  assert.equal(accepted.status, 303, accepted.text);
  await demo.process().see(/The receiver verified user\.registered/, 'stderr');
}

async function signedInOwner(demo: TestDemo) {
  const { email = '', password = '' } = demo.guide.sign_ins.find(({ role }) => role === 'owner') ?? {};
  const browser = demo.browser();
  await browser.fillIn('/sign-in', { email, password });
  return browser;
}

describe('Starting rollcall demo again', () => {
  let demo: TestDemo;
  let guide: Guide;
  before(async () => {
    demo = await startTestDemo();
    guide = demo.guide;
    await registerVisitor(demo);
  });
  after(() => demo.remove());

  test('prints the same guide and keeps the changes of visitors', async () => {
    await demo.api('/webhook', {
      body: { webhook: { url: 'https://example.com/mine', enabled: true, events: [eventName] } },
    });
    assert.equal((await demo.process().stop()).code, 0);
    const before = await demo.history();
    await demo.start();
    assert.deepEqual(await demo.history(), before);
    assert.deepEqual(JSON.parse(demo.process().stdout()), {
      ...guide,
      webhook: { url: 'https://example.com/mine', enabled: true },
    });
    assert.ok(!demo.process().stderr().includes('Loading'));
    const { body } = await demo.api('/webhook');
    assert.equal(body.webhook.url, 'https://example.com/mine');
    const again = await demo.api('/invite_user', {
      body: { email: 'ada.lovelace@example.test', first_name: 'A', last_name: 'L' },
    });
    assert.equal(again.status, 400, 'the visitor is already a member');
  });

  test('moves the meetings to the current day and keeps the changes of visitors', async () => {
    await demo.process().stop();
    const database = await openDatabase(`sqlite:${guide.database}`);
    await database.write(async (sql) => {
      // As if the sample had been loaded two days ago.
      await sql.run(
        `UPDATE meetings SET start_time = strftime('%Y-%m-%dT%H:%M:%fZ', start_time, '-2 days') WHERE id = 1`,
      );
    });
    await database.close();
    await demo.start();
    assert.match(demo.process().stderr(), /Loading the sample data/);
    assert.deepEqual(JSON.parse(demo.process().stdout()), {
      ...guide,
      webhook: { url: 'https://example.com/mine', enabled: true },
    });
    const first = await demo.api('/export_meetings', {
      body: { column: ['start_time'], reporting_days: 'all', page: 1, per_page: 1 },
    });
    const year = 365 * 24 * 60 * 60 * 1000;
    const midnight = new Date(Date.now() - year).toISOString().slice(0, 10);
    assert.ok(String(first.body.meetings[0]?.start_time) >= midnight);
    const again = await demo.api('/invite_user', {
      body: { email: 'ada.lovelace@example.test', first_name: 'A', last_name: 'L' },
    });
    assert.equal(again.status, 400, 'the visitor is still a member');
    assert.equal((await demo.api('/webhook')).body.webhook.url, 'https://example.com/mine');
  });

  test('after the access key is replaced prints commands with a placeholder for it', async () => {
    const database = { DATABASE_URL: 'sqlite:data/demo.db' };
    const generated = await run(['access-key', 'generate', '--organization', '1', '--json'], {
      cwd: demo.cwd,
      env: database,
    });
    const { access_key: key } = JSON.parse(generated.stdout) as { readonly access_key: string };
    for (const values of [demo.browser(), await signedInOwner(demo)]) {
      const page = readableText((await values.open('/docs/guide/quick-start')).text);
      assert.match(page, /access key was replaced: put the new one into the third line/);
      assert.match(page, /ORGANIZATION=1 ACCESS_KEY=your-24-digit-access-key/);
      assert.doesNotMatch(page, /as they are|--fresh/);
    }
    await demo.process().stop('SIGKILL');
    await demo.start();
    const changed = JSON.parse(demo.process().stdout()) as Guide;
    assert.equal(changed.access_key_works, false);
    const script = changed.curl.map(({ command }) => command).join('\n');
    assert.ok(!script.includes(guide.access_key));
    const [first, ...others] = script.split('\n');
    assert.equal(first, "ACCESS_KEY='your new access key, 24 digits'");
    assert.deepEqual(
      others.slice(1),
      guide.curl.slice(1).map(({ command }) => command),
    );
    const { code, stdout } = await shell([`ACCESS_KEY='${key}'`, ...others].join('\n'), demo.cwd);
    assert.deepEqual([code, linesOf(stdout).length], [0, 4]);
    assert.equal(JSON.parse(linesOf(stdout)[0] ?? '').meetings.length, 3);
  });

  test('says what to do if its key file is missing', async () => {
    await demo.process().stop();
    rmSync(`${guide.database}.key`);
    const { code, stdout, stderr } = await run(['demo'], { cwd: demo.cwd, env: demo.env });
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(
      stderr,
      'data/demo.db.key is missing or damaged. Start with new data: rollcall demo --fresh\n',
    );
  });

  test('with --fresh starts with new data, whatever was changed or lost, but not while a demo runs', async () => {
    await demo.start('--fresh');
    assert.match(demo.process().stderr(), /Loading the sample data/);
    assert.deepEqual(JSON.parse(demo.process().stdout()), guide);
    assert.equal((await demo.api('/webhook')).body.webhook.url, guide.webhook_receiver);
    for (const values of [demo.browser(), await signedInOwner(demo)]) {
      const page = readableText((await values.open('/docs/guide/quick-start')).text);
      assert.match(page, /They work (with the demo )?as they are\./);
      assert.ok(page.includes(`ACCESS_KEY=${guide.access_key}`));
    }

    const second = await run(['demo', '--fresh'], { cwd: demo.cwd, env: { PORT: String(await freePort()) } });
    assert.deepEqual([second.code, second.stdout], [1, '']);
    assert.equal(second.stderr, 'Another process serves sqlite:data/demo.db already. Stop it first.\n');
    assert.equal((await demo.api('/webhook')).status, 200, 'the running demo has lost nothing');
  });
});
