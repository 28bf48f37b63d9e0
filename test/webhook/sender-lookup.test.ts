import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../support/receiver.js';
import {
  answering,
  DELIVERED,
  during,
  failed,
  leavesNothingBehind,
  outcomeOf,
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

test('of several addresses one that does not answer is no failure while another one does', async (t) => {
  const receiver = during(t, await startReceiver());
  const lookup = answering('127.0.0.2', '127.0.0.1');
  assert.deepEqual(await outcomeOf(`https://receiver.test:${receiver.port}`, sender({ lookup })), DELIVERED);
  assert.equal(receiver.connections(), 1);
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
