import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Meetings, Refusal } from '@rollcall/core';
import { exportColumns } from '@rollcall/core/rules';
import { aMeeting, anOrganization, type Dataset } from '@rollcall/core/testing';
import { openDatabase, sqlPorts } from '#adapters/sql/index.js';
import { startPostgresUrl } from '../../support/postgres.js';
import { startSqliteDatabase, storageOver } from '../../support/storage.js';

const starts = {
  async sqlite() {
    const { file, stop } = await startSqliteDatabase();
    return { url: `sqlite:${file}`, stop };
  },
  postgres: () => startPostgresUrl({ migrated: true }),
};

/** More than one chunk of an export. */
const MEETINGS = 1_200;

function meetingsOf(organizationId: number): Dataset['meetings'] {
  return Array.from({ length: MEETINGS }, (_, index) =>
    aMeeting(organizationId * 10_000 + index, {
      organizationId,
      status: 'complete',
      description: 'long '.repeat(200),
    }),
  );
}

/** An export waits for a fifth of this time before it is refused. */
const TIMEOUT_MS = 5_000;

type Engine = keyof typeof starts;

async function startMeetings(t: TestContext, engine: Engine): Promise<Meetings> {
  const { url, stop } = await starts[engine]();
  const database = await openDatabase(url, { timeoutMs: TIMEOUT_MS });
  t.after(async () => {
    await database.close();
    await stop();
  });
  const { load } = storageOver({ database, stop: async () => undefined });
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    meetings: [...(meetingsOf(1) ?? []), ...(meetingsOf(2) ?? [])],
  });
  return sqlPorts(database).meetings;
}

async function startExport(meetings: Meetings, organizationId: number): Promise<AsyncIterator<Uint8Array>> {
  const { chunks } = await meetings.export({
    selection: {
      ...{ organizationId, withServiceMeetings: false, eapOnly: false, state: 'past' },
      ...{ now: new Date(), starts: { from: null, before: null }, updatedSince: null },
    },
    columns: exportColumns,
    form: 'ndjson',
    page: null,
  });
  return chunks[Symbol.asyncIterator]();
}

async function countBytes(rows: AsyncIterator<Uint8Array>): Promise<number> {
  let bytes = 0;
  for (let chunk = await rows.next(); chunk.done !== true; chunk = await rows.next())
    bytes += chunk.value.length;
  return bytes;
}

function isRefused(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'too-many-requests' && (error.retryAfter ?? 0) > 0;
}

for (const engine of Object.keys(starts) as Engine[]) {
  describe(`Slow exports of one organization over ${engine}`, () => {
    test('run three at a time, without delaying another organization', async (t) => {
      const meetings = await startMeetings(t, engine);
      const slow = await Promise.all(Array.from({ length: 8 }, () => startExport(meetings, 1)));
      const started = Promise.allSettled(slow.map((rows) => rows.next()));

      for (let times = 0; times < 3; times += 1)
        assert.ok((await countBytes(await startExport(meetings, 2))) > 1_000 * MEETINGS);
      const states = (await started).map((one) => (one.status === 'fulfilled' ? 'started' : one.reason));
      assert.equal(states.filter((state) => state === 'started').length, 3);
      assert.ok(states.filter((state) => state !== 'started').every(isRefused), String(states));
      for (const rows of slow) await rows.return?.();
    });

    test('wait and start in order, each as soon as an earlier one has ended', async (t) => {
      const meetings = await startMeetings(t, engine);
      const slow = await Promise.all(Array.from({ length: 3 }, () => startExport(meetings, 1)));
      for (const rows of slow) await rows.next();
      const later = await Promise.all(Array.from({ length: 3 }, () => startExport(meetings, 1)));
      const started: number[] = [];
      const waiting = later.map(async (rows, index) => {
        assert.equal((await rows.next()).done, false);
        started.push(index);
      });
      const settled = Promise.allSettled(waiting);
      try {
        for (const index of waiting.keys()) {
          await slow[index]?.return?.();
          await Promise.race(waiting.slice(index));
          assert.deepEqual(started, [0, 1, 2].slice(0, index + 1));
        }
        for (const rows of later) assert.ok((await countBytes(rows)) > 0);
      } finally {
        for (const rows of [...slow, ...later]) await rows.return?.();
        await settled;
      }
      for (let times = 0; times < 4; times += 1)
        assert.ok((await countBytes(await startExport(meetings, 1))) > 0);
    });

    test('wait in limited numbers: one too many is refused at once', async (t) => {
      const meetings = await startMeetings(t, engine);
      const many = await Promise.all(Array.from({ length: 11 }, () => startExport(meetings, 1)));
      let hasStarted = false;
      const started = Promise.allSettled(many.map((rows) => rows.next())).then(() => {
        hasStarted = true;
      });
      await assert.rejects((await startExport(meetings, 1)).next(), isRefused);
      assert.equal(hasStarted, false);
      await started;
      for (const rows of many) await rows.return?.();
    });
  });
}
