import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AnswerOnce, Refusal, Unavailable } from '@rollcall/core';
import { secretMask } from '@rollcall/core/adapters';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';
import { enabled, startWithWebhook } from '../../support/core/webhook-core.js';

describe('configureWebhook', () => {
  test('creates the only webhook and shows its signing secret only then', async () => {
    const { core, clock } = await startWebhookCore();
    assert.equal(await core.readWebhook({ organization }), null);
    const created = await core.configureWebhook({ organization, how: 'set', webhook: enabled });
    assert.match(created.secret?.reveal() ?? '', /^whsec_/);
    const createdAt = clock.now();
    const { secret, id, ...others } = created;
    const expected = { ...enabled, rotationEndsAt: null, urlRefusal: null, createdAt, updatedAt: createdAt };
    assert.deepEqual(others, expected);
    clock.advance(1000);
    const changed = await core.configureWebhook({ organization, how: 'set', webhook: enabled });
    assert.deepEqual(changed, { ...expected, id, secret: null, updatedAt: clock.now() });
    assert.deepEqual(await core.readWebhook({ organization }), changed);
    assert.equal(secretMask, 'whsec_********');
  });

  test('shows why nothing can be sent to the URL', async () => {
    const { core } = await startWithWebhook({ webhook: { ...enabled, url: 'https://localhost/' } });
    assert.equal((await core.readWebhook({ organization }))?.urlRefusal, 'localhost is not public');
  });

  test('the activity has the host of the URL, which may contain a secret, and each rotation', async () => {
    const { core, activity, clock } = await startWithWebhook({ webhook: null });
    const by = { who: { kind: 'command-line' }, from: '192.0.2.7' } as const;
    const configure = (webhook: unknown, regenerateSecret?: unknown) =>
      core.configureWebhook({ organization, how: 'change', webhook, regenerateSecret, by });
    await configure({ enabled: false });
    await configure({ ...enabled, url: 'https://partner.test:8443/hooks?secret=1' }, '0');
    await configure({ enabled: true }, '1');
    await configure({ enabled: true, url: 'https://partner.test:8443/other?secret=2' });
    await configure({ url: 'https://new.test/', enabled: false });
    await configure({ enabled: false, url: '' });
    const at = clock.now();
    const configured = (subject: string | null) => ({
      ...{ action: 'webhook-configured', subject, actor: by, at },
    });
    assert.deepEqual(await activity(), [
      configured('new.test → no URL'),
      configured('partner.test:8443 → new.test, turned off'),
      configured('partner.test:8443, another path'),
      { action: 'signing-secret-rotated', subject: null, actor: by, at },
      configured('partner.test:8443, turned on'),
      configured(null),
    ]);
  });

  test('keeps the answer to a call in its transaction, with a rotation and without', async () => {
    const { core, activity } = await startWithWebhook();
    for (const [key, regenerateSecret] of [
      ['a', false],
      ['b', true],
    ] as const) {
      const request: AnswerOnce = {
        organization,
        operation: 'configure',
        key,
        fingerprint: key,
        async work(keep) {
          await core.configureWebhook({
            organization,
            how: 'change',
            webhook: { enabled: true },
            regenerateSecret,
            keep: ({ url, secret }) => keep(`${url}: ${secret === null ? 'the same' : 'a new'} secret`),
          });
          throw new Unavailable('the connection was lost after the commit');
        },
      };
      const answer = `${enabled.url}: ${regenerateSecret ? 'a new' : 'the same'} secret`;
      await core.answerOnce(request).catch(() => {});
      assert.equal(await core.answerOnce(request), answer);
    }
    assert.deepEqual(
      (await activity()).map(({ action }) => action),
      ['signing-secret-rotated', 'webhook-configured'],
    );
  });

  test('regenerate_secret "1", 1 or true rotates; absent, "0", 0 or false does not; anything else is refused', async () => {
    const { core, secretOf } = await startWebhookCore();
    await core.configureWebhook({ organization, how: 'set', webhook: enabled });
    const rotate = (regenerateSecret: unknown) =>
      core.configureWebhook({ organization, how: 'change', webhook: { enabled: true }, regenerateSecret });
    for (const yes of ['1', 1, true]) {
      const before = await secretOf();
      const { secret } = await rotate(yes);
      assert.notEqual(secret?.reveal(), before);
      assert.equal(await secretOf(), secret?.reveal());
    }
    for (const no of [undefined, '0', 0, false]) assert.equal((await rotate(no)).secret, null);
    for (const other of ['true', 'yes', 2, null, '', [], {}, '01']) {
      await assert.rejects(rotate(other), refusedWith(/^regenerateSecret must be/), String(other));
    }
  });

  test('overlapHours is a whole number from 1 to 168, as a number or as text, and needs a rotation', async () => {
    const { core, clock } = await startWebhookCore();
    const rotate = (overlapHours: unknown, regenerateSecret: unknown = '1') =>
      core.configureWebhook({
        organization,
        how: 'change',
        webhook: enabled,
        regenerateSecret,
        overlapHours,
      });
    await assert.rejects(
      rotate(1, '0'),
      refusedWith(/^overlapHours is only allowed in a request that rotates/),
    );
    const { secret, rotationEndsAt } = await rotate(24);
    assert.deepEqual([secret === null, rotationEndsAt], [false, null], 'the first secret replaces none');

    for (const [hours, given] of [
      [1, 1],
      [2, '2'],
      [168, 168],
      [24, '24'],
    ] as const) {
      const rotated = await rotate(given);
      assert.equal(rotated.rotationEndsAt?.getTime(), clock.now().getTime() + hours * 3_600_000);
      await core.finishRotation({ organization });
    }
    for (const wrong of [
      0,
      169,
      -1,
      1.5,
      '0',
      '169',
      '1.5',
      [24],
      ' 1',
      '01',
      '1e1',
      '',
      null,
      true,
      [],
      {},
      Number.NaN,
    ]) {
      await assert.rejects(rotate(wrong), refusedWith(/^overlapHours must be a whole number from 1 to 168$/));
      await assert.rejects(
        rotate(wrong, 'yes'),
        refusedWith(/^regenerateSecret must be/, /^overlapHours must be/),
      );
    }
    await assert.rejects(rotate(1, 'yes'), refusedWith(/^regenerateSecret must be/));
    await rotate(1);
    await assert.rejects(rotate(1, 'yes'), refusedWith(/^regenerateSecret must be/));
    await assert.rejects(
      rotate(1),
      refusedWith(/^overlapHours is not allowed while .* finish that rotation/),
    );
    await core.finishRotation({ organization });
    assert.equal((await core.readWebhook({ organization }))?.rotationEndsAt, null);
  });

  test('changes nothing if the webhook was changed since the given time or does not exist', async () => {
    const { core, clock, secretOf } = await startWebhookCore();
    const rotate = (unchangedSince: Date) =>
      core.configureWebhook({
        organization,
        how: 'change',
        webhook: { enabled: true },
        regenerateSecret: true,
        unchangedSince,
      });
    const changed = refused('webhook-outdated');
    await assert.rejects(rotate(clock.now()), changed);
    assert.equal(await core.readWebhook({ organization }), null);

    const { updatedAt } = await core.configureWebhook({ organization, how: 'set', webhook: enabled });
    const before = await secretOf();
    await assert.rejects(rotate(new Date(updatedAt.getTime() - 1)), changed);
    await assert.rejects(rotate(new Date(Number.NaN)), changed);
    assert.equal(await secretOf(), before);
    clock.advance(1);
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => rotate(updatedAt)));
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.notEqual(await secretOf(), before);
  });

  test('of two first configurations of callers who saw none, stores the first', async () => {
    const { core } = await startWebhookCore();
    const set = (host: number) =>
      core.configureWebhook({
        organization,
        how: 'set',
        webhook: { ...enabled, url: `https://${host}.test/` },
        unchangedSince: null,
      });
    await set(1);
    await assert.rejects(set(2), refused('webhook-outdated'));
    assert.equal((await core.readWebhook({ organization }))?.url, 'https://1.test/');
  });

  test('PATCH keeps omitted fields, so it can disable and enable the webhook', async () => {
    const { core } = await startWebhookCore();
    const change = (webhook: unknown) => core.configureWebhook({ organization, how: 'change', webhook });
    await assert.rejects(
      change({ enabled: true }),
      refusedWith(/webhook.url is required/, /webhook.events must name/),
    );
    await change(enabled);
    const off = await change({ enabled: false });
    assert.deepEqual([off.enabled, off.url, off.events], [false, enabled.url, ['user.registered']]);
    const on = await change({ enabled: true });
    assert.deepEqual([on.enabled, on.url, on.events], [true, enabled.url, ['user.registered']]);
    const moved = await change({ enabled: true, url: 'https://other.test/' });
    assert.deepEqual([moved.url, moved.events], ['https://other.test/', ['user.registered']]);
    const removed = await change({ enabled: false, url: '', events: null });
    assert.deepEqual([removed.url, removed.events], [null, []]);
  });

  test('POST requires url and events when enabled is true, and keeps the stored ones otherwise', async () => {
    const { core } = await startWebhookCore();
    const set = (webhook: unknown) => core.configureWebhook({ organization, how: 'set', webhook });
    await set(enabled);
    await assert.rejects(
      set({ enabled: true }),
      refusedWith(/webhook.url is required/, /webhook.events must name/),
    );
    const off = await set({ enabled: false });
    assert.deepEqual([off.enabled, off.url, off.events], [false, enabled.url, ['user.registered']]);
  });

  test('the first configuration may be disabled and empty', async () => {
    const { core } = await startWebhookCore();
    const first = await core.configureWebhook({ organization, how: 'set', webhook: { enabled: false } });
    assert.deepEqual([first.url, first.events, first.enabled], [null, [], false]);
    assert.match(first.secret?.reveal() ?? '', /^whsec_/);
  });

  test('reports all mistakes at once', async () => {
    const { core } = await startWebhookCore();
    await assert.rejects(
      core.configureWebhook({
        organization,
        how: 'set',
        webhook: { url: 5, enabled: 'yes', events: 'user.registered' },
        regenerateSecret: 'maybe',
      }),
      refusedWith(/^webhook.enabled/, /^webhook.url/, /^webhook.events/, /^regenerateSecret/),
    );
    for (const webhook of [undefined, null, [], 'x', 5])
      await assert.rejects(
        core.configureWebhook({ organization, how: 'set', webhook, regenerateSecret: 'maybe' }),
        refusedWith(/^webhook must be/, /^regenerateSecret/),
      );
    await assert.rejects(
      core.configureWebhook({
        organization,
        how: 'set',
        webhook: { ...enabled, url: 5 },
        problems: [
          { field: 'webhook.events', code: 'not-allowed', message: 'is given twice' },
          { field: 'webhook.url', code: 'malformed', message: 'is given twice' },
        ],
      }),
      refusedWith(/^webhook.url is given twice/, /^webhook.events is given twice/),
    );
  });

  test('url must be a valid HTTPS URL without credentials', async () => {
    const { core } = await startWebhookCore();
    const wrong = [
      'http://partner.test/',
      'ftp://partner.test/',
      'https://',
      'https:/partner.test',
      'partner.test',
      'https://part ner.test/',
      ' https://partner.test/',
      'https://partner.test/\n',
      'https://partner.test/\0',
      'https://partner.test/\u202e',
      'https://part\u200bner.test/',
      'https://partner.test/\u2028',
      'https://partner.test/\ud800',
      'https://user:secret@partner.test/',
      'https://user@partner.test/',
      'https://:secret@partner.test/',
      'http://partner.test/https://',
      longUrl(2049),
      'javascript:alert(1)',
      '',
      5,
      [enabled.url],
      { href: enabled.url },
      true,
    ];
    for (const url of wrong) {
      const attempt = core.configureWebhook({ organization, how: 'set', webhook: { ...enabled, url } });
      await assert.rejects(attempt, refusedWith(/^webhook.url/), JSON.stringify(url));
    }
    for (const url of [
      'https://10.0.0.1:8443/x?y=%20#z',
      'HTTPS://Partner.test',
      'https://[::1]/',
      'https://ü.test/',
      longUrl(2048),
    ]) {
      const kept = await core.configureWebhook({ organization, how: 'set', webhook: { ...enabled, url } });
      assert.equal(kept.url, url);
    }
  });

  test('events must be supported and, when enabled, not empty', async () => {
    const { core } = await startWebhookCore();
    for (const events of [
      [],
      ['user.deleted'],
      ['user.registered', 'x'],
      [5],
      'user.registered',
      {},
      null,
      [null],
    ]) {
      const attempt = core.configureWebhook({ organization, how: 'set', webhook: { ...enabled, events } });
      await assert.rejects(attempt, refusedWith(/^webhook.events.*user.registered/), JSON.stringify(events));
    }
    const twice = { ...enabled, events: ['user.registered', 'user.registered'] };
    const kept = await core.configureWebhook({ organization, how: 'set', webhook: twice });
    assert.deepEqual(kept.events, ['user.registered']);
  });
});

/** A valid URL of this length. */
function longUrl(length: number): string {
  return 'https://partner.test/'.padEnd(length, 'x');
}

const startWebhookCore = () => startWithWebhook({ webhook: null });

function refusedWith(...messages: readonly RegExp[]) {
  return (error: unknown) =>
    refused('invalid-webhook')(error) &&
    error instanceof Refusal &&
    error.problems.length === messages.length &&
    messages.every((message, index) => message.test(error.texts()[index] ?? ''));
}
