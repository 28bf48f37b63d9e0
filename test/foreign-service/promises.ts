import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import tls from 'node:tls';
import {
  commonPasswordsSuite,
  limitsSuite,
  passwordsSuite,
  type StartedStorage,
  secretsSuite,
  storageSuites,
  tokensSuite,
  webhookSenderSuite,
} from '@rollcall/core/testing';
import { openDatabase } from './database.js';
import { countedLimits, systemClock } from './limits.js';
import { loadDataset } from './load.js';
import { harborSecrets, harborTokens, scryptPasswords, worstPasswords } from './secrets.js';
import { httpsSender, isPublic } from './sender.js';
import { storagePorts } from './service.js';

/** Starts a separate database for each test. */
async function startStorage(): Promise<StartedStorage> {
  const folder = await mkdtemp(join(tmpdir(), 'harbor-'));
  const database = openDatabase(join(folder, 'harbor.db'));
  return {
    storage: storagePorts(database),
    load: async (dataset) => loadDataset(database, dataset),
    async stop() {
      database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs the core's suites, which test every promise of a port, against the ports of this service. */
describe('The ports of Harbor keep their promises', () => {
  const suites = [
    ...storageSuites(startStorage),
    ...secretsSuite(async ({ current }) => harborSecrets(current)),
    ...tokensSuite(async ({ current }) => harborTokens(current)),
    ...passwordsSuite(async () => scryptPasswords),
    ...commonPasswordsSuite(async () => worstPasswords),
    ...limitsSuite(async () => ({ limits: countedLimits(systemClock), pass: systemClock.pause })),
    ...webhookSenderSuite({
      start: async ({ authority, allowedAddresses }) =>
        httpsSender({
          isAllowed: (address) => isPublic(address) || allowedAddresses.includes(address),
          ca: authority,
          maxAttemptMs: 2_000,
        }),
      ...{ net, tls, clock: systemClock, maxAttemptMs: 2_000 },
    }),
  ];
  for (const { name, run } of suites) test(name, run);
});
