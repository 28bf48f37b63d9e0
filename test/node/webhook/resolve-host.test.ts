import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, isIPv4 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type NameSources, systemNames } from '#adapters/node/webhook/resolve-host.js';
import { gotWebhookSender } from '#adapters/node/webhook/sender.js';
import { testAuthority } from '../../support/certificates.js';
import { startReceiver } from '../../support/receiver.js';
import { slowness } from '../../support/slowness.js';

interface NameServer {
  /** The address in the form that resolvers accept. */
  readonly address: string;
  /** The questions in order, such as `A receiver.test`. */
  readonly questions: readonly string[];
  stop(): Promise<void>;
}

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };
const NO_SUCH_NAME = 3;

/** The answers: the addresses of a name, `silence` for no response, or undefined for an unknown name. */
type Zone = (name: string, type: string) => readonly string[] | 'silence' | undefined;

/** Starts a name server on 127.0.0.1 over UDP. */
async function startNameServer(zone: Zone): Promise<NameServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { address, port }) => {
    const { name, type, end } = questionIn(message);
    questions.push(`${type} ${name}`);
    const answer = zone(name, type);
    if (answer !== 'silence') socket.send(answerTo(message.subarray(0, end), type, answer), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    questions,
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Reads the question of a message, which follows the header of twelve bytes. */
function questionIn(message: Buffer): { readonly name: string; readonly type: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const number = message.readUInt16BE(at + 1);
  return { name: labels.join('.').toLowerCase(), type: TYPES[number] ?? String(number), end: at + 5 };
}

function answerTo(question: Buffer, type: string, addresses: readonly string[] | undefined): Buffer {
  const records = (addresses ?? []).filter((address) => isIPv4(address) === (type === 'A')).map(recordOf);
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (addresses === undefined ? NO_SUCH_NAME : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

/** A record for the name of the question, with a TTL of 0. IPv6 addresses must be in long form, or `::1`. */
function recordOf(address: string): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const start = Buffer.from([0xc0, 12, 0, isIPv4(address) ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([start, bytes]);
}

function ipv6Bytes(address: string): Buffer {
  const groups =
    address === '::1' ? [0, 0, 0, 0, 0, 0, 0, 1] : address.split(':').map((group) => Number(`0x${group}`));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

const { cert: authority } = await testAuthority();
const { signal: never } = new AbortController();

const v4 = (address: string) => ({ address, family: 4 });
const v6 = (address: string) => ({ address, family: 6 });

async function nameServer(context: TestContext, zone: Zone) {
  const server = await startNameServer(zone);
  context.after(() => server.stop());
  return server;
}

/** Creates a path for a hosts file. */
async function hosts(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-hosts-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'hosts');
  return { path, write: (text: string) => writeFile(path, text) };
}

async function within<Value>(milliseconds: number, work: Promise<Value>): Promise<Value> {
  const startedAt = performance.now();
  const value = await work;
  const elapsedMs = performance.now() - startedAt;
  assert.ok(elapsedMs < milliseconds * slowness(), `took ${elapsedMs} ms`);
  return value;
}

/** Names below `hang.test` get no response. All others resolve to this machine. */
const silentBelowHang: Zone = (name, type) => {
  if (name.endsWith('.hang.test')) return 'silence';
  return type === 'A' ? ['127.0.0.1'] : [];
};

function senderWithNames(names: NameSources) {
  return gotWebhookSender({
    allowedNetworks: ['127.0.0.0/8'],
    certificateAuthorities: [authority],
    lookup: systemNames(names),
    // Longer than a lookup takes that fails, also on a busy machine.
    limits: { connect: 30_000 },
  });
}

const requestTo = (url: string) => ({ url, headers: { 'Content-Type': 'application/json' }, body: '{}' });

test('names without a response do not delay others, and fail in time', {
  timeout: 240_000,
}, async (t) => {
  const { address, questions } = await nameServer(t, silentBelowHang);
  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  const { send } = senderWithNames({ servers: [address] });
  let ended = 0;
  const startedAt = performance.now();
  const hanging = Array.from({ length: 20 }, (_, at) =>
    send(requestTo(`https://name-${at}.hang.test`)).finally(() => (ended += 1)),
  );
  while (new Set(questions).size < 40) await pause(5);

  const url = `https://receiver.test:${receiver.port}`;
  const { outcome, reason } = await within(2_000, send(requestTo(url)));
  assert.deepEqual([outcome, reason], ['delivered', 'answered 200']);
  // The names of databases are looked up the same way.
  await within(2_000, lookup('localhost'));
  // On a loaded machine, the first may have failed by now.
  assert.ok(ended === 0 || performance.now() - startedAt > 2_500);

  const endings = await Promise.all(hanging);
  const expected = { outcome: 'failed', phase: 'lookup', reason: 'the name does not resolve' };
  for (const { outcome, phase, reason } of endings) assert.deepEqual({ outcome, phase, reason }, expected);
});

test('a lookup stops when its signal is aborted', { timeout: 240_000 }, async (t) => {
  const { address, questions } = await nameServer(t, silentBelowHang);
  const ended = new AbortController();
  const lookedUp = systemNames({ servers: [address] })('name.hang.test', ended.signal);
  while (questions.length < 2) await pause(5);
  ended.abort();
  assert.deepEqual(await within(500, lookedUp), []);
  await pause(1_500);
  assert.deepEqual([...questions].sort(), ['A name.hang.test', 'AAAA name.hang.test']);
  assert.deepEqual(await systemNames({ servers: [address] })('receiver.test', ended.signal), []);
  assert.equal(questions.length, 2);
});

test('the lookup stops when its attempt ends', { timeout: 240_000 }, async (t) => {
  const { address, questions } = await nameServer(t, silentBelowHang);
  const { send } = gotWebhookSender({
    allowedNetworks: [],
    certificateAuthorities: [authority],
    lookup: systemNames({ servers: [address] }),
    limits: { connect: 300 },
  });
  const { reason } = await send(requestTo('https://name.hang.test'));
  assert.equal(reason, 'no connection within 0.3 s');
  await pause(1_500);
  assert.equal(questions.length, 2);
});

test('IPv4 and IPv6 are looked up together, and a missing response for one does not affect the other', {
  timeout: 240_000,
}, async (t) => {
  const known: Readonly<Record<string, readonly string[]>> = {
    'both.test': ['127.0.0.1', '127.0.0.2', '::1'],
    'six.test': ['::1'],
    'half.test': ['127.0.0.1'],
  };
  const zone: Zone = (name, type) => (name === 'half.test' && type === 'AAAA' ? 'silence' : known[name]);
  const servers = [(await nameServer(t, zone)).address, (await nameServer(t, zone)).address];
  const names = systemNames({ servers });
  assert.deepEqual(await names('both.test', never), [v4('127.0.0.1'), v4('127.0.0.2'), v6('::1')]);
  assert.deepEqual(await names('six.test', never), [v6('::1')]);
  assert.deepEqual(await names('nowhere.test', never), []);
  assert.deepEqual(await names('a..b', never), []);
  assert.deepEqual(await within(4_500, names('half.test', never)), [v4('127.0.0.1')]);
});

test('a name is looked up again for each attempt', async (t) => {
  const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']];
  const { address } = await nameServer(t, (_name, type) => (type === 'A' ? answers.shift() : []));
  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  const { send } = senderWithNames({ servers: [address] });
  const reasons = [];
  for (let at = 0; at < 3; at += 1) {
    reasons.push((await send(requestTo(`https://receiver.test:${receiver.port}`))).reason);
  }
  assert.deepEqual(reasons, ['answered 200', 'resolves to a private address', 'answered 200']);
});

test('the hosts file has priority over name servers, and is read again when it changes', async (t) => {
  const { address, questions } = await nameServer(t, () => ['127.0.0.9']);
  const { path, write } = await hosts(t);
  await write(
    '127.0.0.7 Receiver.test other.test # comment\n\n# ::2 receiver.test\n::1\treceiver.test\r\nnonsense receiver.test\n',
  );
  const names = systemNames({ servers: [address], hosts: path });
  assert.deepEqual(await names('receiver.test', never), [v4('127.0.0.7'), v6('::1')]);
  assert.deepEqual(await names('OTHER.test.', never), [v4('127.0.0.7')]);
  assert.deepEqual(questions, []);
  await write('127.0.0.8 receiver.test');
  assert.deepEqual(await names('receiver.test', never), [v4('127.0.0.8')]);
  assert.deepEqual(await names('other.test', never), [v4('127.0.0.9')]);
  await rm(path);
  assert.deepEqual(await names('receiver.test', never), [v4('127.0.0.9')]);
});

test('localhost is this machine even without a hosts file, and is not looked up on a name server', async (t) => {
  const { address, questions } = await nameServer(t, () => ['8.8.8.8']);
  const { path, write } = await hosts(t);
  const names = systemNames({ servers: [address], hosts: path });
  for (const name of ['localhost', 'LOCALHOST.', 'app.localhost']) {
    assert.deepEqual(await names(name, never), [v4('127.0.0.1'), v6('::1')], name);
  }
  assert.deepEqual(questions, []);
  assert.deepEqual(await names('notlocalhost', never), [v4('8.8.8.8')]);
  await write('127.0.0.5 localhost');
  assert.deepEqual(await names('localhost', never), [v4('127.0.0.5')]);
});
