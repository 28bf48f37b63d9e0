import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../../support/receiver.js';
import { eventually } from '../../support/wait.js';
import {
  checkNothingIsLeftOpen,
  DELIVERED,
  failed,
  lookupOf,
  outcomeOf,
  sender,
  stopAfter,
} from './sending.js';

checkNothingIsLeftOpen();

test('localhost is this machine, which is a private address', async (t) => {
  const v4 = stopAfter(t, await startReceiver());
  assert.deepEqual(await outcomeOf(`https://localhost:${v4.port}`), DELIVERED);
  const refused = await outcomeOf(`https://localhost:${v4.port}`, sender({ allowedNetworks: [] }));
  assert.deepEqual(refused, failed('lookup', 'resolves to a private address'));
  assert.equal(v4.connections(), 1);
});

test('an unreachable address is no failure if another address of the name responds', async (t) => {
  const receiver = stopAfter(t, await startReceiver());
  const lookup = lookupOf('127.0.0.2', '127.0.0.1');
  assert.deepEqual(await outcomeOf(`https://receiver.test:${receiver.port}`, sender({ lookup })), DELIVERED);
  assert.equal(receiver.connections(), 1);
});

test('the address of the connection is checked again before the request is sent', async (t) => {
  const privateReceiver = stopAfter(t, await startReceiver({ host: '127.0.0.2' }));
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
  const outcome = await outcomeOf(`https://receiver.test:${privateReceiver.port}`, one);
  assert.deepEqual(outcome, failed('tls', 'private address'));
  await eventually(() => privateReceiver.open() === 0);
  assert.deepEqual(privateReceiver.requests, []);
  assert.equal(privateReceiver.connections(), 1);
});

test('a name without an address is reported as a failure, however the resolver fails', async () => {
  const unknown = failed('lookup', 'the name does not resolve');
  for (const lookup of [
    lookupOf(),
    () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
    () => {
      throw new Error('synchronous');
    },
  ]) {
    assert.deepEqual(await outcomeOf('https://receiver.test', sender({ lookup })), unknown);
  }
});
