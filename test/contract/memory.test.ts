import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  commonPasswordsSuite,
  fewCommonPasswords,
  fixedClock,
  limitsSuite,
  memoryLimits,
  memoryPorts,
  memoryStorage,
  passwordsSuite,
  plainPasswords,
  plainSecrets,
  plainTokens,
  storageSuites,
} from '@rollcall/core/testing';
import { secretShapes } from '#core/testing/suites/secrets.js';
import { tokenShapes } from '#core/testing/suites/tokens.js';

describe('The ports in memory keep the promises', () => {
  const suites = [
    ...storageSuites(async () => {
      const storage = memoryStorage();
      return { storage, load: storage.load, stop: async () => {} };
    }),
    ...limitsSuite(async () => {
      const clock = fixedClock(new Date('2026-11-20T12:00:00.000Z'));
      return { limits: memoryLimits(clock), pass: async (milliseconds) => clock.advance(milliseconds) };
    }),
    ...secretShapes(async () => plainSecrets()),
    ...tokenShapes(async () => plainTokens()),
    ...passwordsSuite(async () => plainPasswords()),
    ...commonPasswordsSuite(async () => fewCommonPasswords()),
  ];
  for (const { name, run } of suites) test(name, run);

  test('memoryPorts counts failures on the given clock', async () => {
    const clock = fixedClock(new Date('2030-01-01T00:00:00.000Z'));
    const { limits } = memoryPorts({ clock }).ports;
    const limit = { name: 'trial', points: 1, seconds: 60 };
    assert.deepEqual([await limits.consume(limit, 'a'), await limits.consume(limit, 'a')], [0, 60]);
    clock.advance(60_000);
    assert.equal(await limits.waitFor(limit, 'a'), 0);
  });
});
