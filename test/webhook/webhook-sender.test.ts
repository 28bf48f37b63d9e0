import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Secret, type WebhookRequest } from '@rollcall/core';
import { createKeyring } from '#adapters/crypto/keyring.js';
import { keyedSecrets } from '#adapters/crypto/secrets.js';
import { inAllowedNetworks, isPublicAddress, readNetworks } from '#adapters/webhook/addresses.js';
import { trustedAuthorities } from '#adapters/webhook/authorities.js';
import { gotWebhookSender, TIME_LIMITS, type WebhookSenderSettings } from '#adapters/webhook/sender.js';
import { createAuthority, selfSigned, testAuthority } from '../support/certificates.js';
import { startFlooding } from '../support/flooding-receiver.js';
import {
  type Listener,
  type Receiver,
  startReceiver,
  startTcpListener,
  startTlsListener,
} from '../support/receiver.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const { cert: AUTHORITY } = await testAuthority();

/** Short limits, so that a test takes no seconds; far enough apart to tell which one it was. */
const SHORT = { connect: 1_500, answer: 600, total: 3_500 };

const BODY = '{"event":"user.registered","user":{"first_name":"Zoë","last_name":"Ōno 🌍"}}';
const SIGNING_SECRET = 'whsec_c2VjcmV0IGZvciB0aGUgdGVzdHMsIDMyIGJ5dGVzIQ==';

function request(url: string, changes: Partial<WebhookRequest> = {}): WebhookRequest {
  return { url, headers: { 'Content-Type': 'application/json' }, body: BODY, ...changes };
}

function sender(settings: Partial<WebhookSenderSettings> = {}) {
  return gotWebhookSender({
    allowedNetworks: LOOPBACK,
    certificateAuthorities: [AUTHORITY],
    ...settings,
  });
}

const usual = sender();
const hasty = sender({ limits: SHORT });

/** Sends, and answers everything but the duration, which must be within the limits. */
async function outcomeOf(url: string, one = usual) {
  const started = performance.now();
  const { duration, ...outcome } = await one.send(request(url));
  const took = performance.now() - started;
  assert.ok(duration !== null && Number.isInteger(duration) && duration >= 0 && duration <= took + 1);
  assert.ok(took < (one === hasty ? SHORT.total : TIME_LIMITS.total) + 500, `took ${took} ms`);
  return outcome;
}

const failed = (phase: string, reason: string) => ({ outcome: 'failed', phase, status: null, reason });
const DELIVERED = { outcome: 'delivered', phase: 'answer', status: 200, reason: 'answered 200' };

/** Stops the listener when the test has ended, however it ends. */
function during<Kind extends Listener>(context: TestContext, listener: Kind): Kind {
  context.after(() => listener.stop());
  return listener;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    assert.ok(performance.now() < deadline, 'what was waited for has not come');
    await pause(5);
  }
}

// ── The request ────────────────────────────────────────────────────────────────────────────────────────────

test('the receiver gets one POST with exactly the headers given and the exact bytes of the body', async (t) => {
  const receiver = during(t, await startReceiver());
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Service Webhook',
    'X-Service-Signature': 'sha256=0000',
    'X-Service-Event': 'user.registered',
    'X-Service-Event-Id': '0f8fad5b-d9cb-469f-a165-70867728950e',
  };
  const url = `${receiver.url}/hooks/in?from=rollcall&x=%20`;
  const { duration, ...outcome } = await usual.send({ url, headers, body: BODY });
  assert.ok(duration !== null && duration < TIME_LIMITS.total);
  assert.deepEqual(outcome, DELIVERED);
  assert.deepEqual(
    receiver.requests.map(({ port, ...rest }) => rest),
    [
      {
        method: 'POST',
        path: '/hooks/in?from=rollcall&x=%20',
        headers: [
          ...Object.entries(headers),
          ['Content-Length', String(Buffer.byteLength(BODY))],
          ['Host', `127.0.0.1:${receiver.port}`],
          ['Connection', 'close'],
        ],
        body: Buffer.from(BODY, 'utf8'),
        sessionReused: false,
      },
    ],
  );
});

test('a receiver that computes the signature over the raw bytes finds the one that was sent', async (t) => {
  const receiver = during(t, await startReceiver());
  const secrets = keyedSecrets(createKeyring({ secretKey: 'x'.repeat(32), previousSecretKeys: [] }));
  const signature = secrets.sign({ body: BODY, secret: new Secret(SIGNING_SECRET) });
  await usual.send(request(receiver.url, { headers: { 'X-Service-Signature': `sha256=${signature}` } }));

  const [received] = receiver.requests;
  assert.ok(received);
  const computed = createHmac('sha256', SIGNING_SECRET).update(received.body).digest('hex');
  assert.deepEqual(received.headers[0], ['X-Service-Signature', `sha256=${computed}`]);
});

test('an empty body is sent as no bytes, a large one whole', async (t) => {
  const receiver = during(t, await startReceiver());
  const large = 'ü'.repeat(500_000);
  for (const body of ['', large]) await usual.send(request(receiver.url, { body }));
  assert.deepEqual(
    receiver.requests.map(({ body }) => body.toString('utf8')),
    ['', large],
  );
  assert.deepEqual(receiver.requests[0]?.headers[1], ['Content-Length', '0']);
});

test('a request that cannot be sent is a failure and nothing is thrown', async (t) => {
  const receiver = during(t, await startReceiver());
  for (const headers of [{ 'X-Name': 'a\r\nX-Other: b' }, { 'X Name': 'a' }, { 'X-Name': '🌍' }]) {
    const { duration, ...outcome } = await usual.send(request(receiver.url, { headers }));
    assert.deepEqual(outcome, failed('connect', 'the request cannot be sent'));
  }
  assert.equal(receiver.connections(), 0);
});

test('every delivery has a connection of its own and no session of an earlier one', async (t) => {
  const receiver = during(
    t,
    await startReceiver({
      answer: (_request, response) => response.writeHead(200, { connection: 'keep-alive' }).end(),
    }),
  );
  const one = usual;
  for (let at = 0; at < 3; at += 1) await one.send(request(receiver.url));
  assert.equal(receiver.connections(), 3);
  assert.equal(new Set(receiver.requests.map(({ port }) => port)).size, 3);
  assert.deepEqual(
    receiver.requests.map(({ sessionReused }) => sessionReused),
    [false, false, false],
  );
  await until(() => receiver.open() === 0);
});

test('a receiver that drops its connections after each answer loses nothing', async (t) => {
  const receiver = during(
    t,
    await startReceiver({
      answer: (incoming, response) => response.end('ok', () => setImmediate(() => incoming.socket.destroy())),
    }),
  );
  const one = usual;
  const outcomes = [];
  for (let at = 0; at < 20; at += 1) outcomes.push((await one.send(request(receiver.url))).outcome);
  assert.deepEqual(outcomes, Array(20).fill('delivered'));
  assert.equal(receiver.requests.length, 20);
});

test('proxies of the environment are not asked', async (t) => {
  const receiver = during(t, await startReceiver());
  const proxy = during(t, await startTcpListener());
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
  withEnvironment(t, {
    ...Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${proxy.port}`])),
    NODE_USE_ENV_PROXY: '1',
    NO_PROXY: undefined,
  });
  assert.deepEqual(await outcomeOf(receiver.url), DELIVERED);
  assert.equal(proxy.connections(), 0);
});

// ── The answer ─────────────────────────────────────────────────────────────────────────────────────────────

test('2xx alone is delivered, every other status failed, each after one attempt', async (t) => {
  let status = 0;
  const receiver = during(
    t,
    await startReceiver({ answer: (_request, response) => response.writeHead(status).end('{"error":"no"}') }),
  );
  const delivered = [200, 201, 202, 204, 299];
  const refused = [400, 401, 404, 408, 410, 413, 429, 500, 502, 503, 504, 521, 599];
  for (status of [...delivered, ...refused]) {
    const outcome = delivered.includes(status) ? 'delivered' : 'failed';
    const expected = { outcome, phase: 'answer', status, reason: `answered ${status}` };
    assert.deepEqual(await outcomeOf(receiver.url), expected);
  }
  assert.equal(receiver.requests.length, delivered.length + refused.length);
});

test('a redirect is a failure, and nothing is sent to where it points', async (t) => {
  const second = during(t, await startReceiver());
  let status = 0;
  const receiver = during(
    t,
    await startReceiver({
      answer: (_request, response) => response.writeHead(status, { location: `${second.url}/inner` }).end(),
    }),
  );
  for (status of [300, 301, 302, 303, 304, 305, 307, 308]) {
    const reason = `answered ${status}: redirects are not followed`;
    assert.deepEqual(await outcomeOf(receiver.url), { outcome: 'failed', phase: 'answer', status, reason });
  }
  assert.equal(receiver.requests.length, 8);
  assert.equal(second.connections(), 0);
});

test('switching protocols is no success and does not wait', async (t) => {
  const receiver = during(
    t,
    await startTlsListener((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    ),
  );
  const started = performance.now();
  const expected = { outcome: 'failed', phase: 'answer', status: 101, reason: 'answered 101' };
  assert.deepEqual(await outcomeOf(receiver.url), expected);
  assert.ok(performance.now() - started < TIME_LIMITS.answer / 2);
});

test('what comes before the answer is not the answer', async (t) => {
  const receiver = during(
    t,
    await startTlsListener((socket) =>
      socket.write(
        'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n',
      ),
    ),
  );
  const expected = { outcome: 'failed', phase: 'answer', status: 500, reason: 'answered 500' };
  assert.deepEqual(await outcomeOf(receiver.url), expected);
});

test('an endless body ends after 64 KiB and changes nothing', async (t) => {
  for (const [status, outcome] of [
    [200, 'delivered'],
    [500, 'failed'],
  ] as const) {
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const receiver = during(
      t,
      await startTlsListener((socket) => {
        socket.write(`HTTP/1.1 ${status} Well\r\n\r\n`);
        const more = (): void => {
          while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
        };
        socket.on('drain', more);
        more();
      }),
    );
    const started = performance.now();
    const expected = { outcome, phase: 'answer', status, reason: `answered ${status}` };
    assert.deepEqual(await outcomeOf(receiver.url), expected);
    assert.ok(performance.now() - started < TIME_LIMITS.answer / 2, 'the body was waited for');
    await until(() => receiver.open() === 0);
    assert.ok(written < 16 * 1024 * 1024, `${written} bytes were taken`);
  }
});

test('a compressed answer is not unpacked: what is counted is what came over the wire', async (t) => {
  const small = gzipSync(Buffer.alloc(8 * 1024 * 1024));
  const receiver = during(
    t,
    await startReceiver({
      answer: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).write(small),
    }),
  );
  const started = performance.now();
  assert.ok(small.length < 10_000);
  assert.deepEqual(await outcomeOf(receiver.url, hasty), DELIVERED);
  assert.ok(performance.now() - started >= SHORT.answer, 'it was read as 8 MiB and not waited for');
});

const STALLING_BODIES: Readonly<Record<string, (socket: Socket) => void>> = {
  stalls: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
  drips: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    const timer = setInterval(() => socket.write('1\r\nx\r\n'), 20);
    socket.once('close', () => clearInterval(timer));
  },
  resets: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () =>
      setTimeout(() => socket.destroy(), 50),
    );
  },
  'is cut off': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
  'is no chunk': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n'),
};

for (const [fault, onConnection] of Object.entries(STALLING_BODIES)) {
  test(`an answer of 2xx is delivered though its body ${fault}`, async (t) => {
    const receiver = during(t, await startTlsListener(onConnection));
    assert.deepEqual(await outcomeOf(receiver.url, hasty), DELIVERED);
    assert.equal(receiver.connections(), 1);
    await until(() => receiver.open() === 0);
  });
}

// ── Faults ─────────────────────────────────────────────────────────────────────────────────────────────────

const TLS_FAULTS: Readonly<
  Record<string, readonly [onConnection: (socket: Socket) => void, reason: string]>
> = {
  'never answers': [() => undefined, 'no answer within 0.6 s'],
  'drips its headers': [
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('X-More: x\r\n'), 20);
      socket.once('close', () => clearInterval(timer));
    },
    'no answer within 0.6 s',
  ],
  'hints slowly for ever': [
    (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 100);
      socket.once('close', () => clearInterval(timer));
    },
    'no answer within 0.6 s',
  ],
  'closes without an answer': [(socket) => socket.end(), 'connection closed without an answer'],
  'does not speak HTTP': [(socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), 'the answer is not HTTP'],
  'sends headers without end': [
    (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X-Header: value\r\n'.repeat(10_000)}`),
    'the answer is not HTTP',
  ],
};

const INTERIM: Readonly<Record<string, string>> = {
  '100': 'HTTP/1.1 100 Continue\r\n\r\n',
  '102': 'HTTP/1.1 102 Processing\r\n\r\n',
  '103': 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
};
const TOO_MANY_INTERIM = failed('answer', 'the receiver sent too many interim responses');

for (const [status, text] of Object.entries(INTERIM)) {
  test(`an attempt ends at the tenth interim response ${status}, whatever comes after it`, async (t) => {
    const receiver = during(
      t,
      await startTlsListener((socket) =>
        socket.write(`${text.repeat(10)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`),
      ),
    );
    assert.deepEqual(await outcomeOf(receiver.url, hasty), TOO_MANY_INTERIM);
    assert.equal(receiver.connections(), 1);
    await until(() => receiver.open() === 0);
  });

  test(`nine interim responses ${status} before the answer are passed over`, async (t) => {
    const receiver = during(
      t,
      await startTlsListener((socket) =>
        socket.write(`${text.repeat(9)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`),
      ),
    );
    assert.deepEqual(await outcomeOf(receiver.url), DELIVERED);
  });

  test(`endless interim responses ${status} end the attempt and hold up no other`, async (t) => {
    const flooding = await startFlooding(text);
    t.after(() => flooding.stop());
    const well = during(t, await startReceiver());
    const p50 = async (): Promise<number> => {
      const took: number[] = [];
      for (let at = 0; at < 15; at += 1) {
        const started = performance.now();
        assert.deepEqual(await outcomeOf(well.url), DELIVERED);
        took.push(performance.now() - started);
      }
      return took.sort((one, other) => one - other)[7] ?? Infinity;
    };
    const calm = await p50();
    let isOver = false;
    const attempts = (async () => {
      do assert.deepEqual(await outcomeOf(flooding.url), TOO_MANY_INTERIM);
      while (!isOver);
    })();
    const flooded = await p50();
    isOver = true;
    await attempts;
    assert.ok(flooded < 10 * calm + 50, `${calm} ms became ${flooded} ms`);
  });
}

for (const [fault, [onConnection, reason]] of Object.entries(TLS_FAULTS)) {
  test(`a receiver that ${fault} is a failure with its reason, after one attempt`, async (t) => {
    const receiver = during(t, await startTlsListener(onConnection));
    assert.deepEqual(await outcomeOf(receiver.url, hasty), failed('answer', reason));
    assert.equal(receiver.connections(), 1);
    await until(() => receiver.open() === 0);
  });
}

const TCP_FAULTS: Readonly<
  Record<string, readonly [onConnection: (socket: Socket) => void, reason: string]>
> = {
  'says nothing before TLS': [() => undefined, 'no connection within 1.5 s'],
  'resets before TLS': [(socket) => setTimeout(() => socket.resetAndDestroy(), 20), 'connection reset'],
  'closes before TLS': [(socket) => socket.end(), 'connection closed without an answer'],
  'speaks no TLS': [(socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), 'TLS failed'],
};

for (const [fault, [onConnection, reason]] of Object.entries(TCP_FAULTS)) {
  test(`a receiver that ${fault} is a failure with its reason, after one attempt`, async (t) => {
    const receiver = during(t, await startTcpListener({ onConnection }));
    assert.deepEqual(await outcomeOf(receiver.url, hasty), failed('tls', reason));
    assert.equal(receiver.connections(), 1);
    await until(() => receiver.open() === 0);
  });
}

test('a receiver that resets after the request is a failure with its reason, after one attempt', async (t) => {
  const receiver: Receiver = during(t, await startReceiver({ answer: () => receiver.reset() }));
  assert.deepEqual(await outcomeOf(receiver.url), failed('answer', 'connection reset'));
  assert.equal(receiver.connections(), 1);
});

test('a receiver that is not there is a failure with its reason', async () => {
  const gone = await startTcpListener();
  await gone.stop();
  assert.deepEqual(await outcomeOf(gone.url), failed('connect', 'connection refused'));
});

test('certificates are checked: who issued them, for which name, and until when', async (t) => {
  const authority = await testAuthority();
  const stranger = await createAuthority('Somebody else');
  const day = (from: number): Date => new Date(Date.now() + from * 86_400_000);
  for (const [certificate, reason] of [
    [await selfSigned(), 'certificate not trusted'],
    [await stranger.issue(), 'certificate not trusted'],
    [await authority.issue({ names: ['elsewhere.test'] }), 'certificate is for another name'],
    [await authority.issue({ notBefore: day(-9), notAfter: day(-1) }), 'certificate expired'],
    [await authority.issue({ notBefore: day(1), notAfter: day(9) }), 'certificate not yet valid'],
  ] as const) {
    const receiver = during(t, await startReceiver({ certificate }));
    assert.deepEqual(await outcomeOf(receiver.url), failed('tls', reason));
    assert.deepEqual(receiver.requests, []);
  }
});

test('certificates are checked though the environment says otherwise', async (t) => {
  const receiver = during(t, await startReceiver({ certificate: await selfSigned() }));
  withEnvironment(t, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  assert.deepEqual(await outcomeOf(receiver.url), failed('tls', 'certificate not trusted'));
  assert.deepEqual(receiver.requests, []);
});

test('nobody is trusted whom neither the runtime nor the operator trusts', async (t) => {
  const receiver = during(t, await startReceiver());
  const refused = failed('tls', 'certificate not trusted');
  assert.deepEqual(await outcomeOf(receiver.url, sender({ certificateAuthorities: [] })), refused);
  assert.deepEqual(await outcomeOf(receiver.url), DELIVERED);
});

test("further authorities come beside the runtime's own", async (t) => {
  const further = await createAuthority('A further one');
  const { ca } = trustedAuthorities([further.cert]);
  assert.ok(Array.isArray(ca));
  assert.deepEqual(new Set(ca), new Set([...rootCertificates, ...ca.slice(rootCertificates.length)]));
  assert.ok(ca.includes(further.cert));
  assert.deepEqual(trustedAuthorities([]), {});

  const folder = await mkdtemp(join(tmpdir(), 'rollcall-authorities-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'extra.pem');
  await writeFile(file, AUTHORITY);
  const byFile = during(t, await startReceiver());
  const byOption = during(t, await startReceiver({ certificate: await further.issue() }));
  const urls = [byFile.url, byOption.url];
  const elsewhere = (environment: NodeJS.ProcessEnv, authorities: readonly string[]) =>
    sendFromAnotherProcess(urls, environment, authorities);

  assert.deepEqual(await elsewhere({}, [AUTHORITY, further.cert]), ['answered 200', 'answered 200']);
  const untrusted = 'certificate not trusted';
  assert.deepEqual(await elsewhere({ NODE_EXTRA_CA_CERTS: file }, []), ['answered 200', untrusted]);
  assert.deepEqual(await elsewhere({}, [further.cert]), [untrusted, 'answered 200']);
});

async function sendFromAnotherProcess(
  urls: readonly string[],
  environment: NodeJS.ProcessEnv,
  certificateAuthorities: readonly string[],
): Promise<readonly string[]> {
  const settings = JSON.stringify({ allowedNetworks: LOOPBACK, certificateAuthorities });
  const program = `
    import { gotWebhookSender } from ${JSON.stringify(import.meta.resolve('#adapters/webhook/sender.js'))};
    const sender = gotWebhookSender(${settings});
    const send = (url) => sender.send({ url, headers: {}, body: '' });
    const endings = await Promise.all(${JSON.stringify(urls)}.map(send));
    console.log(JSON.stringify(endings.map((ending) => ending.reason)));`;
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...env, ...environment },
  });
  return JSON.parse(stdout);
}

// ── Time ───────────────────────────────────────────────────────────────────────────────────────────────────

test('the limits are 5 s to connect, 10 s to answer, 16 s in all', () => {
  assert.deepEqual(TIME_LIMITS, { connect: 5_000, answer: 10_000, total: 16_000 });
});

/** Starts a delivery under the default limits and under a clock that the test moves. */
function startUnderMockedTime(
  t: TestContext,
  sent: WebhookRequest,
  settings: Partial<WebhookSenderSettings> = {},
) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const one = gotWebhookSender({
    allowedNetworks: LOOPBACK,
    certificateAuthorities: [AUTHORITY],
    ...settings,
  });
  let ended = false;
  const ending = one.send(sent).finally(() => {
    ended = true;
  });
  const move = async (milliseconds: number): Promise<boolean> => {
    t.mock.timers.tick(milliseconds);
    for (let at = 0; at < 20; at += 1) await turn();
    return ended;
  };
  return { ending, move };
}

test('a lookup that never answers ends after exactly 5 s', async (t) => {
  const { ending, move } = startUnderMockedTime(t, request('https://receiver.test'), {
    lookup: () => new Promise(() => undefined),
  });
  assert.equal(await move(4_999), false);
  assert.equal(await move(1), true);
  const { duration, ...outcome } = await ending;
  assert.deepEqual(outcome, failed('lookup', 'no connection within 5 s'));
});

test('lookup, TCP and TLS share their 5 s', async (t) => {
  const receiver = during(t, await startTcpListener());
  let answer: () => void = () => undefined;
  const { ending, move } = startUnderMockedTime(t, request(`https://receiver.test:${receiver.port}`), {
    lookup: () =>
      new Promise((resolve) => {
        answer = () => resolve([{ address: '127.0.0.1', family: 4 }]);
      }),
  });
  assert.equal(await move(4_000), false);
  answer();
  while (receiver.connections() === 0) await turn();
  assert.equal(await move(999), false);
  assert.equal(await move(1), true);
  const { duration, ...outcome } = await ending;
  assert.deepEqual(outcome, failed('tls', 'no connection within 5 s'));
});

test('a receiver that has the request and never answers is given exactly 10 s', async (t) => {
  const receiver = during(t, await startReceiver({ answer: () => undefined }));
  const { ending, move } = startUnderMockedTime(t, request(receiver.url));
  while (receiver.requests.length === 0) await turn();
  assert.equal(await move(0), false);
  assert.equal(await move(9_999), false);
  assert.equal(await move(1), true);
  const { duration, ...outcome } = await ending;
  assert.deepEqual(outcome, failed('answer', 'no answer within 10 s'));
});

test('a receiver that never takes the whole request is given up after exactly 16 s', async (t) => {
  let secured = 0;
  const receiver = during(
    t,
    await startTlsListener((socket) => {
      secured += 1;
      socket.pause();
    }),
  );
  const body = 'x'.repeat(32 * 1024 * 1024);
  const { ending, move } = startUnderMockedTime(t, request(receiver.url, { body }));
  while (secured === 0) await turn();
  assert.equal(await move(15_999), false);
  assert.equal(await move(1), true);
  const { duration, ...outcome } = await ending;
  assert.deepEqual(outcome, failed('request', 'not finished within 16 s'));
});

test('a delivery that has ended leaves no timer behind, however it ended', async (t) => {
  const receiver = during(t, await startReceiver());
  const refusing = during(t, await startTcpListener({ onConnection: (socket) => socket.end() }));
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  for (const url of [receiver.url, refusing.url, 'https://10.0.0.1', 'no url']) {
    await usual.send(request(url));
    assert.equal(timers(), before, url);
  }
});

test('receivers that hang hold up no other', async (t) => {
  const hanging = during(t, await startReceiver({ answer: () => undefined }));
  const receiver = during(t, await startReceiver());
  const one = sender({ limits: { answer: 2_000 } });
  let ended = 0;
  const stuck = Array.from({ length: 20 }, () => one.send(request(hanging.url)).finally(() => (ended += 1)));
  await until(() => hanging.requests.length === 20);
  assert.deepEqual(await outcomeOf(receiver.url, one), DELIVERED);
  assert.equal(ended, 0);
  assert.deepEqual(
    (await Promise.all(stuck)).map(({ reason }) => reason),
    Array(20).fill('no answer within 2 s'),
  );
  assert.equal(hanging.connections(), 20);
});

// ── Where to ───────────────────────────────────────────────────────────────────────────────────────────────

test('what is not an https URL is refused without a connection', async (t) => {
  const connect = t.mock.method(Socket.prototype, 'connect');
  for (const [url, reason] of [
    ['', 'not an https URL'],
    ['no url', 'not an https URL'],
    ['http://127.0.0.1/', 'not an https URL'],
    ['ftp://127.0.0.1/', 'not an https URL'],
    ['file:///etc/passwd', 'not an https URL'],
    ['unix:/var/run/docker.sock:/info', 'not an https URL'],
    ['http://unix/var/run/docker.sock:/info', 'not an https URL'],
    ['https://unix/var/run/docker.sock:/info', 'the URL cannot be used'],
    ['https://UNIX:443/var/run/docker.sock:/info', 'the URL cannot be used'],
    ['data:application/json,{}', 'not an https URL'],
    ['javascript:alert(1)', 'not an https URL'],
    ['https://', 'not an https URL'],
    ['https://127.0.0.1:99999/', 'not an https URL'],
    ['https://[fe80::1%25eth0]/', 'not an https URL'],
    ['https://[fe80::1%eth0]/', 'not an https URL'],
    ['https://[::1%lo]/', 'not an https URL'],
    ['https://256.256.256.256/', 'not an https URL'],
    ['https://name:word@receiver.test/', 'the URL holds credentials'],
    ['https://name@receiver.test/', 'the URL holds credentials'],
    ['https://:word@receiver.test/', 'the URL holds credentials'],
  ] as const) {
    assert.deepEqual(await outcomeOf(url), failed('address', reason), url);
  }
  assert.equal(connect.mock.callCount(), 0);
});

/** Every way to write this machine's own addresses. */
const OWN_ADDRESSES = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0X7F000001',
  '0x7f.1',
  '0x7f.0.0.0x1',
  '0177.0.0.1',
  '0177.1',
  '017700000001',
  '00000000000177.0.0.1',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
];

/** Addresses that nobody outside can reach, and such as hide one. */
const PRIVATE_ADDRESSES = [
  ...OWN_ADDRESSES,
  '127.0.0.2',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '0x0',
  '00.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '0xa.1',
  '012.0.0.1',
  '167772161',
  '100.64.0.1',
  '100.127.255.254',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.43518',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.1',
  '198.18.0.1',
  '198.19.255.254',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '4294967295',
  '[::]',
  '[::2]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::10.0.0.1]',
  '[::8.8.8.8]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:192.168.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b::8.8.8.8]',
  '[64:ff9b:1::7f00:1]',
  '[100::1]',
  '[100:0:0:1::1]',
  '[2001::1]',
  '[2001:0:7f00:1::]',
  '[2001:2::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2002:808:808::1]',
  '[3fff::1]',
  '[3fff:fff::1]',
  '[4000::1]',
  '[5f00::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[ff0e::1]',
  '[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]',
];

test(`an address that is not public is refused in each of ${PRIVATE_ADDRESSES.length} spellings, unconnected`, async (t) => {
  const v4 = during(t, await startTcpListener());
  const v6 = during(t, await startTcpListener({ host: '::1', port: v4.port }));
  const connect = t.mock.method(Socket.prototype, 'connect');
  const lookup = t.mock.fn(async () => [{ address: '127.0.0.1', family: 4 }]);
  const one = sender({ allowedNetworks: [], lookup });
  for (const host of PRIVATE_ADDRESSES) {
    for (const url of [`https://${host}:${v4.port}/`, `https://${host}/`]) {
      assert.deepEqual(await outcomeOf(url, one), failed('address', 'private address'), url);
    }
  }
  assert.equal(connect.mock.callCount(), 0);
  assert.equal(lookup.mock.callCount(), 0);
  assert.deepEqual([v4.connections(), v6.connections()], [0, 0]);
});

test('the same spellings of this machine are dialled where the operator has allowed its networks', async (t) => {
  const v4 = during(t, await startTcpListener({ onConnection: (socket) => socket.end() }));
  const v6 = during(
    t,
    await startTcpListener({ onConnection: (socket) => socket.end(), host: '::1', port: v4.port }),
  );
  for (const host of OWN_ADDRESSES) {
    const outcome = await outcomeOf(`https://${host}:${v4.port}/`);
    assert.deepEqual(outcome, failed('tls', 'connection closed without an answer'), host);
  }
  assert.equal(v4.connections() + v6.connections(), OWN_ADDRESSES.length);
  assert.equal(v6.connections(), 3);
});

/** The first and the last address of every block that is not public, and the public ones right beside them. */
const EDGES: readonly (readonly [before: string, first: string, last: string, behind: string])[] = [
  ['', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '255.255.255.255', ''],
  ['', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  [
    '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:200::',
  ],
  ['2001:db7:ffff::', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ['2001:ffff::', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ['3ffe:ffff::', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ''],
];

test('public is what lies beside the special blocks, to the address', () => {
  for (const [before, first, last, behind] of EDGES) {
    const judged = [before, first, last, behind].map((address) => [address, isPublicAddress(address)]);
    assert.deepEqual(judged, [
      [before, before !== ''],
      [first, false],
      [last, false],
      [behind, behind !== ''],
    ]);
  }
  for (const address of ['8.8.8.8', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001:800::200e']) {
    assert.equal(isPublicAddress(address), true, address);
  }
  for (const address of [
    '010.0.0.1',
    '8.8.8',
    '134744072',
    '0x08.8.8.8',
    ' 8.8.8.8',
    'dns.google',
    '8.8.8.8/32',
  ]) {
    assert.equal(isPublicAddress(address), false, address);
  }
});

test('an allowed network holds the mapped spellings of its addresses, and may be written mapped itself', () => {
  const networks = readNetworks(['10.1.0.0/16', 'fd00:1::/32', '::ffff:192.168.7.0/120']);
  const inside = ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', '::ffff:a01:203', 'fd00:1:ffff::1'];
  const outside = [
    '10.0.255.255',
    '10.2.0.0',
    '::10.1.2.3',
    '64:ff9b::10.1.2.3',
    'fd00:2::1',
    '192.168.8.0',
    'x',
    '',
  ];
  for (const address of [...inside, '192.168.7.255', '::ffff:192.168.7.0']) {
    assert.equal(inAllowedNetworks(address, networks), true, address);
  }
  for (const address of outside) assert.equal(inAllowedNetworks(address, networks), false, address);
});

test('only the allowed networks are open, not those beside them', async (t) => {
  const receiver = during(t, await startReceiver());
  const beside = during(t, await startTcpListener({ host: '127.0.0.2', port: receiver.port }));
  const allowedNetworks = ['127.0.0.1/32'];
  assert.deepEqual(await outcomeOf(receiver.url, sender({ allowedNetworks })), DELIVERED);
  const url = `https://127.0.0.2:${receiver.port}`;
  assert.deepEqual(await outcomeOf(url, sender({ allowedNetworks })), failed('address', 'private address'));
  assert.equal(beside.connections(), 0);
});

test('an authority that is no certificate is refused at once', () => {
  const broken = AUTHORITY.replace(/\n.{20}/, '\n');
  for (const text of ['', 'garbage', broken, `${AUTHORITY}\n${broken}`]) {
    const message = 'A certificate authority cannot be read: PEM text with BEGIN CERTIFICATE is needed.';
    assert.throws(() => sender({ certificateAuthorities: [AUTHORITY, text] }), { message });
  }
});

test('an allowed network that is none is refused at once', () => {
  for (const network of ['', '10.0.0.1', '10.0.0.0/33', 'fd00::/129', 'localhost', '*']) {
    const message = `"${network}" is not a network such as 10.0.0.0/8 or fd00::/8.`;
    assert.throws(() => sender({ allowedNetworks: ['10.0.0.0/8', network] }), { message });
  }
});

// ── Names ──────────────────────────────────────────────────────────────────────────────────────────────────

/** A lookup that always answers these addresses. */
function answering(...addresses: readonly string[]) {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

test('a name is looked up, and its receiver must have the certificate of that name', async (t) => {
  const receiver = during(t, await startReceiver());
  const lookup = t.mock.fn((_name: string) => answering('127.0.0.1')());
  assert.deepEqual(await outcomeOf(`https://receiver.test:${receiver.port}`, sender({ lookup })), DELIVERED);
  const wrong = await outcomeOf(`https://elsewhere.test:${receiver.port}`, sender({ lookup }));
  assert.deepEqual(wrong, failed('tls', 'certificate is for another name'));
  assert.deepEqual(
    lookup.mock.calls.map((call) => call.arguments[0]),
    ['receiver.test', 'elsewhere.test'],
  );
  assert.deepEqual(receiver.requests[0]?.headers.at(-2), ['Host', `receiver.test:${receiver.port}`]);
});

test('localhost is this machine, and no public address', async (t) => {
  const v4 = during(t, await startReceiver());
  assert.deepEqual(await outcomeOf(`https://localhost:${v4.port}`), DELIVERED);
  const refused = await outcomeOf(`https://localhost:${v4.port}`, sender({ allowedNetworks: [] }));
  assert.deepEqual(refused, failed('lookup', 'resolves to a private address'));
  assert.equal(v4.connections(), 1);
});

test('a name with a private address is refused without a connection, though others of its addresses are public', async (t) => {
  const receiver = during(t, await startTcpListener());
  const url = `https://receiver.test:${receiver.port}`;
  for (const addresses of [
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['fe80::1%lo'],
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['2606:4700::1111', '8.8.8.8', 'fd00::1'],
    ['not an address'],
    ['0177.0.0.1'],
    ['8.8.8.8', ''],
  ]) {
    const outcome = await outcomeOf(url, sender({ allowedNetworks: [], lookup: answering(...addresses) }));
    assert.deepEqual(outcome, failed('lookup', 'resolves to a private address'), String(addresses));
  }
  assert.equal(receiver.connections(), 0);
});

test('of several addresses one that does not answer is no failure while another one does', async (t) => {
  const receiver = during(t, await startReceiver());
  const lookup = answering('127.0.0.2', '127.0.0.1');
  assert.deepEqual(await outcomeOf(`https://receiver.test:${receiver.port}`, sender({ lookup })), DELIVERED);
  assert.equal(receiver.connections(), 1);
});

test('a name that changes its addresses is judged by the answer that is dialled, each time anew', async (t) => {
  const receiver = during(t, await startReceiver());
  const inner = during(t, await startTcpListener({ host: '127.0.0.2', port: receiver.port }));
  const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.1'];
  const lookup = t.mock.fn(async () => [{ address: answers.shift() ?? '', family: 4 }]);
  const one = sender({ allowedNetworks: ['127.0.0.1/32'], lookup });
  const url = `https://receiver.test:${receiver.port}`;
  const refused = failed('lookup', 'resolves to a private address');
  assert.deepEqual(await outcomeOf(url, one), DELIVERED);
  assert.deepEqual(await outcomeOf(url, one), refused);
  assert.deepEqual(await outcomeOf(url, one), DELIVERED);
  assert.equal(lookup.mock.callCount(), 3);
  assert.equal(inner.connections(), 0);
});

test('the address that was really dialled is judged once more, and gets no request', async (t) => {
  const inner = during(t, await startReceiver({ host: '127.0.0.2' }));
  const answers = ['127.0.0.1'];
  const lookup = async () => [
    {
      family: 4,
      get address() {
        return answers.shift() ?? '127.0.0.2';
      },
    },
  ];
  const one = sender({ allowedNetworks: ['127.0.0.1/32'], lookup });
  const outcome = await outcomeOf(`https://receiver.test:${inner.port}`, one);
  assert.deepEqual(outcome, failed('tls', 'private address'));
  await until(() => inner.open() === 0);
  assert.deepEqual(inner.requests, []);
  assert.equal(inner.connections(), 1);
});

test('a name without an address is a failure with its reason, however the resolver says so', async () => {
  const unknown = failed('lookup', 'the name does not resolve');
  for (const lookup of [
    answering(),
    () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
    () => {
      throw new Error('at once');
    },
  ]) {
    assert.deepEqual(await outcomeOf('https://receiver.test', sender({ lookup })), unknown);
  }
});

test('a lookup that answers after the end dials nobody', async (t) => {
  const receiver = during(t, await startTcpListener());
  const lookup = async () => {
    await pause(SHORT.connect + 100);
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const url = `https://receiver.test:${receiver.port}`;
  assert.deepEqual(
    await outcomeOf(url, sender({ lookup, limits: SHORT })),
    failed('lookup', 'no connection within 1.5 s'),
  );
  await pause(300);
  assert.equal(receiver.connections(), 0);
});

test('no reason of any failure tells an address, a port or a library', async (t) => {
  const gone = await startTcpListener();
  await gone.stop();
  const resets = during(t, await startTcpListener({ onConnection: (socket) => socket.resetAndDestroy() }));
  for (const [url, settings] of [
    [gone.url, {}],
    [resets.url, {}],
    [gone.url, { allowedNetworks: [] }],
    [`https://receiver.test:${gone.port}`, { lookup: answering('10.1.2.3') }],
  ] as const) {
    const { reason } = await outcomeOf(url, sender(settings));
    assert.match(reason, /^[a-z][a-z ]+$/);
  }
});

// ── Support ────────────────────────────────────────────────────────────────────────────────────────────────

function withEnvironment(t: TestContext, changes: Readonly<Record<string, string | undefined>>): void {
  const before = Object.fromEntries(Object.keys(changes).map((name) => [name, process.env[name]]));
  const set = (values: Readonly<Record<string, string | undefined>>): void => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  set(changes);
  t.after(() => set(before));
}

/** Nothing that a delivery started may stay behind: not a socket, not a timer. */
after(async () => {
  await until(() => !process.getActiveResourcesInfo().some((resource) => /TCP|TLS|Timeout/.test(resource)));
});
