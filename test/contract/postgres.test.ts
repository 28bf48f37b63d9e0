import { after, describe, test } from 'node:test';
import { limitsSuite, storageSuites } from '@rollcall/core/testing';
import { sqlLimits } from '#adapters/sql/index.js';
import { systemClock } from '#adapters/system/clock.js';
import { startPostgresDatabase } from '../support/postgres.js';
import { startStorage } from '../support/storage.js';

describe('The ports over PostgreSQL keep the promises', () => {
  const stops: (() => Promise<void>)[] = [];
  after(async () => {
    for (const stop of stops) await stop();
  });
  const suites = [
    ...storageSuites(() => startStorage('postgres')),
    ...limitsSuite(async () => {
      const { database, stop } = await startPostgresDatabase();
      stops.push(stop);
      return sqlLimits(database, systemClock);
    }),
  ];
  for (const { name, run } of suites) test(name, run);
});
