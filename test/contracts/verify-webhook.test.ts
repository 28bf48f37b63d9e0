import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, test } from 'node:test';
import {
  signWebhook,
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
  type WebhookRequest,
} from '@rollcall/contracts/webhooks';
import { anOrganization, knownSignatures } from '@rollcall/core/testing';
import { organization } from '../support/core/organization.js';
import { enabled } from '../support/core/webhook-core.js';
import { startTestService } from '../support/test-service.js';

const secret = `whsec_${Buffer.alloc(32, 'a secret of 32 bytes').toString('base64')}`;
const body = '{"event":"user.registered","user":{"first_name":"Zoë"}}';
const event = JSON.parse(body);
const now = new Date('2026-11-20T12:00:00Z');

function plain(text: string | Buffer, key = secret): string {
  return `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;
}

function standard({ text = body, key = secret, id = 'event-1', at = now } = {}): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const mac = createHmac('sha256', Buffer.from(key.replace('whsec_', ''), 'base64'));
  const signature = mac.update(`${id}.${timestamp}.${text}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

function verify(request: Partial<WebhookRequest>): Promise<unknown> {
  return verifyWebhook({ body, headers: {}, secret, serviceName: 'Grief Circle', now, ...request });
}

const signed = { 'X-Grief-Circle-Signature': plain(body) };
const other = `whsec_${Buffer.alloc(32, 'another secret').toString('base64')}`;

function refused(code: WebhookErrorCode, request: Partial<WebhookRequest>): Promise<void> {
  return assert.rejects(verify(request), (error) => error instanceof WebhookError && error.code === code);
}

describe('signWebhook', () => {
  test('gives the headers of the service, which verifyWebhook accepts for each secret', async () => {
    const given = { body, serviceName: 'Grief Circle', eventId: 'event-1', now };
    const headers = await signWebhook({ ...given, secret: [secret, other] });
    const newest = standard();
    assert.deepEqual(headers, {
      'Content-Type': 'application/json',
      'X-Grief-Circle-Signature': plain(body, other),
      'X-Grief-Circle-Event': 'user.registered',
      'X-Grief-Circle-Event-Id': 'event-1',
      ...newest,
      'webhook-signature': `${newest['webhook-signature']} ${standard({ key: other })['webhook-signature']}`,
    });
    for (const one of [secret, other]) assert.deepEqual(await verify({ headers, secret: one }), event);
    const own = await signWebhook({ body: Buffer.from(body), serviceName: 'Grief Circle', secret });
    assert.deepEqual(await verify({ headers: own, now: new Date() }), event);
    const plainOnly = { 'X-Grief-Circle-Signature': own['X-Grief-Circle-Signature'] ?? '' };
    assert.deepEqual(await verify({ headers: plainOnly }), event);
    await refused('wrong-signature', { headers: own, body: `${body} ` });
    await assert.rejects(signWebhook({ ...given, secret: '' }), TypeError);
    await assert.rejects(signWebhook({ ...given, secret: 'whsec_not base64' }), TypeError);
  });
});

describe('verifyWebhook', () => {
  test('returns the event of a request with the signature of section 6.3', async () => {
    assert.deepEqual(await verify({ headers: signed }), event);
  });

  test('takes the body as text, as bytes and as a buffer', async () => {
    const bytes = Buffer.from(body);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const larger = Buffer.concat([Buffer.from('{{'), bytes, Buffer.from('}}')]);
    for (const same of [bytes, new Uint8Array(bytes), buffer, larger.subarray(2, -2)])
      assert.deepEqual(await verify({ headers: signed, body: same }), event);
  });

  test('takes the headers of Node and of the Fetch API, in any case', async () => {
    const message = new IncomingMessage(new Socket());
    message.headers['x-grief-circle-signature'] = plain(body);
    const [value] = Object.values(signed);
    for (const headers of [
      message.headers,
      new Headers(signed),
      { 'X-GRIEF-CIRCLE-SIGNATURE': [value ?? ''] },
    ])
      assert.deepEqual(await verify({ headers }), event);
  });

  test('refuses another body, secret, service and form of the signature', async () => {
    await refused('wrong-signature', { headers: signed, body: `${body} ` });
    await refused('wrong-signature', { headers: signed, secret: other });
    await refused('missing-signature', { headers: signed, serviceName: 'Service' });
    const [, hex = ''] = plain(body).split('=');
    const flipped = `${hex.slice(0, -1)}${hex.endsWith('0') ? '1' : '0'}`;
    await refused('wrong-signature', { headers: { 'x-grief-circle-signature': `sha256=${flipped}` } });
    for (const signature of [
      '',
      hex,
      `sha256=${hex.slice(2)}`,
      `sha256=${hex}00`,
      `sha256=${hex}, sha256=${hex}`,
    ])
      await refused('missing-signature', { headers: { 'x-grief-circle-signature': signature } });
    const twice = { 'x-grief-circle-signature': [plain(body), plain(body)] };
    await refused('missing-signature', { headers: twice });
  });

  test('takes a request that one of several secrets has signed', async () => {
    assert.deepEqual(await verify({ headers: signed, secret: [other, secret] }), event);
    assert.deepEqual(await verify({ headers: standard(), secret: [other, secret] }), event);
    await refused('wrong-signature', { headers: signed, secret: [other, `${other}x`] });
  });

  test('throws when the body was parsed, or a secret is missing or masked', async () => {
    const mistakes: readonly [object, RegExp][] = [
      [{ body: event }, /not parsed/],
      [{ body: null }, /not parsed/],
      [{ body: undefined }, /not parsed/],
      [{ secret: '' }, /secret is missing/],
      [{ secret: undefined }, /secret is missing/],
      [{ secret: [] }, /secret is missing/],
      [{ secret: [secret, undefined] }, /secret is missing/],
      [{ secret: 'whsec_********' }, /secret is masked/],
      [{ secret: `${secret},${other}` }, /Pass them as a list of strings/],
      [{ secret: `${secret}\n${other}` }, /Pass them as a list of strings/],
      [{ headers: undefined }, /headers is missing/],
      [{ headers: null }, /headers is missing/],
      [{ serviceName: '' }, /serviceName is missing/],
    ];
    for (const [mistake, message] of mistakes)
      await assert.rejects(verify({ headers: signed, ...mistake }), { name: 'TypeError', message });
  });

  test('throws when it is called without a request', async () => {
    const error = {
      name: 'TypeError',
      message: 'verifyWebhook needs { body, headers, secret, serviceName }.',
    };
    await assert.rejects(verifyWebhook(undefined as unknown as WebhookRequest), error);
    await assert.rejects(verifyWebhook(body as unknown as WebhookRequest), error);
  });

  test('gives a hint when the signature is wrong and the secret does not look like one', async () => {
    const hint = /as it was shown, including whsec_, without spaces\.$/;
    for (const headers of [signed, standard()]) {
      for (const wrong of [secret.slice('whsec_'.length - 1), ` ${other}`, `${other}\n`])
        await assert.rejects(verify({ headers, secret: wrong }), { code: 'wrong-signature', message: hint });
      await assert.rejects(verify({ headers, secret: other }), { message: /body and secret\.$/ });
    }
  });

  test('refuses a signed body that is not JSON', async () => {
    // The example in GitHub's documentation.
    const digest = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    await refused('malformed-body', {
      body: 'Hello, World!',
      secret: "It's a Secret to Everybody",
      headers: { 'x-grief-circle-signature': `sha256=${digest}` },
    });
  });

  for (const known of knownSignatures) {
    test(`knows the signature of ${known.body.slice(0, 30) || 'an empty body'}`, async () => {
      const headers = { 'x-grief-circle-signature': `sha256=${known.signature}` };
      const isJson = known.body.startsWith('{');
      const verified = verify({ ...known, headers });
      if (isJson) assert.deepEqual(await verified, JSON.parse(known.body));
      else await assert.rejects(verified, { code: 'malformed-body' });
    });
  }
});

describe('verifyWebhook, with the headers of Standard Webhooks', () => {
  // The example of the Standard Webhooks libraries.
  const known: Partial<WebhookRequest> = {
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    now: new Date(1_614_265_330_000),
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  };

  test('knows the signature of their example', async () => {
    assert.deepEqual(await verify(known), { test: 2_432_232_314 });
  });

  test('the id, the time and the body are signed', async () => {
    const changes = [
      { headers: { ...known.headers, 'webhook-id': 'msg_2' } },
      { headers: { ...known.headers, 'webhook-timestamp': '1614265331' } },
      { body: '{"test": 2432232315}' },
      { secret: other },
      { secret: 'not Base64!' },
    ];
    for (const change of changes) await refused('wrong-signature', { ...known, ...change });
  });

  test('one of several signatures is enough, and unknown versions are ignored', async () => {
    const { 'webhook-signature': right = '', ...rest } = standard();
    const { 'webhook-signature': wrong = '' } = standard({ key: other });
    const withSignature = (signature: string) => ({ headers: { ...rest, 'webhook-signature': signature } });
    assert.deepEqual(await verify(withSignature(`${wrong} ${right}`)), event);
    assert.deepEqual(await verify(withSignature(`v1a,x ${right}`)), event);
    await refused('wrong-signature', withSignature(right.replace('v1,', 'v2,')));
    await refused('wrong-signature', withSignature(right.replace('v1,', '')));
    await refused('wrong-signature', withSignature(`${'v1,AAAA '.repeat(10)}${right}`));
  });

  test('the signed time is at most 5 minutes from now, or what the caller allows', async () => {
    const shifted = (seconds: number) => ({
      headers: standard({ at: new Date(now.getTime() + seconds * 1000) }),
    });
    for (const near of [-300, 300]) assert.deepEqual(await verify(shifted(near)), event);
    for (const far of [-301, 301]) await refused('expired', shifted(far));
    assert.deepEqual(await verify({ ...shifted(-301), toleranceSeconds: 400 }), event);
    await refused('expired', { ...shifted(-11), toleranceSeconds: 10 });
    await refused('expired', { ...shifted(0), toleranceSeconds: Number.NaN });
    await refused('wrong-signature', { ...shifted(-301), secret: other });
  });

  test('the current time is the default', async () => {
    const request = { body, secret, serviceName: 'Grief Circle' };
    await assert.rejects(verifyWebhook({ ...request, headers: standard() }), { code: 'expired' });
    assert.deepEqual(await verifyWebhook({ ...request, headers: standard({ at: new Date() }) }), event);
  });

  test('they are verified instead of the plain signature, and are needed together', async () => {
    const { 'webhook-signature': signature = '', ...rest } = standard();
    await refused('wrong-signature', { headers: { ...standard({ key: other }), ...signed } });
    assert.deepEqual(
      await verify({ headers: { ...standard(), 'x-grief-circle-signature': 'sha256=0' } }),
      event,
    );
    await refused('missing-signature', { headers: { ...rest, ...signed } });
    await refused('missing-signature', { headers: { 'webhook-signature': signature, ...signed } });
    await refused('missing-signature', { headers: { ...standard(), 'webhook-timestamp': '2026-11-20' } });
  });

  test('a caller can require them', async () => {
    await refused('missing-signature', { headers: signed, requireTimestamp: true });
    assert.deepEqual(await verify({ headers: standard(), requireTimestamp: true }), event);
  });
});

describe('verifyWebhook, with what the core sends', () => {
  test('verifies it, and nothing else that the same receiver gets', async (t) => {
    const service = await startTestService({ database: 'memory', settings: { serviceName: 'Grief Circle' } });
    t.after(() => service.stop());
    await service.load({ organizations: [anOrganization(1)] });
    const { secret: shown } = await service.core.configureWebhook({
      organization,
      how: 'set',
      webhook: enabled,
    });
    await service.core.testWebhook({ organization });
    const [sent] = service.webhookSender.sent;
    assert.ok(sent !== undefined && shown !== null);
    const request = {
      ...sent,
      secret: shown.reveal(),
      serviceName: 'Grief Circle',
      now: service.clock.now(),
    };
    assert.deepEqual(await verifyWebhook(request), JSON.parse(sent.body));
    await assert.rejects(verifyWebhook({ ...request, secret: other }), { code: 'wrong-signature' });
  });
});
