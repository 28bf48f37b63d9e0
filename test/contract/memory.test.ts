import { describe, test } from 'node:test';
import {
  fixedClock,
  limitsSuite,
  memoryLimits,
  memoryStorage,
  passwordsSuite,
  plainPasswords,
  plainSecrets,
  plainTokens,
  secretsSuite,
  storageSuites,
  tokensSuite,
} from '@rollcall/core/testing';

describe('The ports in memory keep the promises', () => {
  const suites = [
    ...storageSuites(async () => {
      const storage = memoryStorage();
      return { storage, load: storage.load, stop: async () => {} };
    }),
    ...limitsSuite(async () => memoryLimits(fixedClock(new Date('2026-11-20T12:00:00.000Z')))),
    ...secretsSuite(async () => plainSecrets()),
    ...tokensSuite(async () => plainTokens()),
    ...passwordsSuite(async () => plainPasswords()),
  ];
  for (const { name, run } of suites) test(name, run);
});
