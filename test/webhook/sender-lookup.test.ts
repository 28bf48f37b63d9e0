import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startReceiver, startTcpListener } from '../support/receiver.js';
import {
  answering,
  DELIVERED,
  during,
  failed,
  leavesNothingBehind,
  outcomeOf,
  SHORT,
  sender,
  until,
} from './sending.js';

leavesNothingBehind();

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
