import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createLog } from '#adapters/node/system/log.js';
import { sqlInstanceStore } from '#app/operator/instances.js';
import { machineTimeZoneData, timeZoneData } from '#app/time-zone-data.js';
import { createTimeZoneWatch } from '#app/time-zone-watch.js';
import { startEmptyDatabase } from '../support/transfer.js';

const now = new Date('2026-11-20T12:00:00.000Z');

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`The log warns once of instances with other time zone data, and of a machine with newer, over ${engine}`, async (t) => {
    const store = sqlInstanceStore(await startEmptyDatabase(t, engine));
    const instance = { version: '0.1.0', startedAt: now, seenAt: now };
    await store.record({ ...instance, id: 'one', timeZoneData });
    await store.record({ ...instance, id: 'two', timeZoneData: null });
    const lines: Record<string, unknown>[] = [];
    let machine: string | null = null;
    const watch = createTimeZoneWatch({
      instanceStore: store,
      clock: { now: () => now },
      log: createLog({
        level: 'info',
        pretty: false,
        destination: { write: (line) => lines.push(JSON.parse(line)) },
      }),
      readMachine: async () => machine,
      intervalMs: 5,
    });
    t.after(() => watch.stop());
    await watch.start();
    for (const older of [timeZoneData, '2000a']) {
      machine = older;
      await pause(30);
    }
    assert.equal(lines.length, 0);

    machine = '2999z';
    await pause(60);
    assert.deepEqual(
      lines.map((line) => [line.level, line.timeZoneData, line.machine, line.msg]),
      [
        [
          40,
          timeZoneData,
          '2999z',
          'The time zone data of Node.js is older than that of this machine. Upgrade Node.js, or set ICU_TIMEZONE_FILES_DIR.',
        ],
      ],
    );

    await store.record({ ...instance, id: 'three', timeZoneData: '2999y' });
    await pause(60);
    await watch.stop();
    assert.deepEqual(
      lines.slice(1).map((line) => [line.level, line.timeZoneData, line.instances, line.msg]),
      [
        [
          40,
          timeZoneData,
          `${timeZoneData}, 2999y`,
          'Instances have different time zone data. Run all of them on the same version of Node.js.',
        ],
      ],
    );
    assert.deepEqual(
      (await store.list(now)).map(({ id, version, timeZoneData: data }) => [id, version, data]),
      [
        ['one', '0.1.0', timeZoneData],
        ['three', '0.1.0', '2999y'],
        ['two', '0.1.0', null],
      ],
    );
  });
}

test('A database that is away is no reason to warn', async () => {
  const watch = createTimeZoneWatch({
    instanceStore: { list: () => Promise.reject(new Error('away')) },
    clock: { now: () => now },
    log: createLog({ level: 'info', pretty: false, destination: { write: (line) => assert.fail(line) } }),
    readMachine: async () => null,
    intervalMs: 5,
  });
  await watch.start();
  await pause(20);
  await watch.stop();
});

test('The machine says its version in one of two files, or not at all', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'zoneinfo-'));
  t.after(() => rm(folder, { recursive: true }));
  assert.equal(await machineTimeZoneData(folder), null);
  await writeFile(join(folder, '+VERSION'), '2026b\n');
  assert.equal(await machineTimeZoneData(folder), '2026b');
  await writeFile(
    join(folder, 'tzdata.zi'),
    '# version 2026f\n# This zic input file is in the public domain.\n',
  );
  assert.equal(await machineTimeZoneData(folder), '2026f');
  await writeFile(join(folder, 'tzdata.zi'), '# redo posix_only\n');
  assert.equal(await machineTimeZoneData(folder), '2026b');
});

test('The version of the time zone data is that of the data that Intl uses', () => {
  assert.match(timeZoneData, /^20\d\d[a-z]$/);
});
