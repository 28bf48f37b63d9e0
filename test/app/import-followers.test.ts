import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createMeetings, type Organization } from '@rollcall/core';
import { memoryPorts } from '@rollcall/core/testing';
import { type Database, sqlPorts } from '#adapters/sql/index.js';
import { loadDataset } from '#app/dataset/load-dataset.js';
import { type Fields, meeting, ndjson, rules } from '../support/import-records.js';
import { startEmptyPostgresDatabase } from '../support/postgres.js';
import { startEmptySqliteDatabase } from '../support/storage.js';

const starts = { sqlite: startEmptySqliteDatabase, postgres: startEmptyPostgresDatabase };
const ROUNDS = 12;
const MEETINGS = 40;

const organizations: readonly Organization[] = [1, 2].map((id) => ({
  ...{
    id,
    name: `Organization ${id}`,
    eap: true,
    timeZone: null,
    accessKeyGeneration: 0,
    previousAccessKey: null,
  },
}));

for (const [engine, start] of Object.entries(starts)) {
  describe(`A program that keeps a table of meetings by id, over ${engine}`, () => {
    test('misses no change if it asks for what was updated since the latest time that it knows, also during imports', async () => {
      const { database, stop } = await start();
      try {
        const random = sequence(17);
        await imported(
          database,
          organizations.map(({ id, name, eap }) => ({ kind: 'organization', id, name, eap })),
        );
        const followers = organizations.map((organization) => followerOf(database, organization));
        for (let round = 0; round < ROUNDS; round += 1) {
          let isImporting = true;
          const importing = imported(database, changes(random)).finally(() => {
            isImporting = false;
          });
          // While it is applied, a program sees all of an import or nothing.
          while (isImporting) {
            await Promise.all(followers.map((follower) => follower.follow()));
            await pause(20);
          }
          await importing;
          for (const follower of followers) {
            await follower.follow();
            await follower.removeLost();
            assert.deepEqual(follower.table(), await follower.everything(), `round ${round}`);
          }
        }
        assert.ok(followers.every((follower) => follower.table().length > 10));
      } finally {
        await stop();
      }
    });
  });
}

async function imported(database: Database, records: readonly Fields[]): Promise<void> {
  const source = Readable.from([Buffer.from(ndjson(...records))]);
  await loadDataset({ database, source, rules, at: new Date('2026-01-01T00:00:00.000Z') });
}

/** Some meetings, new or changed or the same, of an organization or of the service. */
function changes(random: (below: number) => number): readonly Fields[] {
  return Array.from({ length: 1 + random(12) }, () => {
    const owner = random(3);
    const ties = [[], [1], [2], [1, 2]][random(4)];
    return {
      ...{ ...meeting, id: 1 + random(MEETINGS), topic: `Topic ${random(2)}` },
      status: ['scheduled', 'complete', 'cancel'][random(3)],
      organization_id: owner === 0 ? null : owner,
      ...(owner === 0 && { eap_organization_ids: ties }),
      ...(owner !== 0 && { eap_organization_ids: [] }),
    };
  });
}

interface Row {
  readonly id: number;
  readonly updated_at: string;
}

/** What a partner's program does with the API. */
function followerOf(database: Database, organization: Organization) {
  const meetings = createMeetings(
    { ...memoryPorts().ports, ...sqlPorts(database) },
    {
      serviceName: 'Service',
      links: { calendar: () => '', defaultAvatar: '' },
    },
  );
  const rows = new Map<number, Row>();
  const columns = ['id', 'updated_at', 'topic', 'status'];
  const exported = async (updatedSince = '', keys = columns): Promise<readonly Row[]> => {
    const request = { organization, columns: keys, reportingDays: 'everything', updatedSince };
    const { chunks } = await meetings.exportMeetings({ ...request, form: 'ndjson' });
    let text = '';
    for await (const chunk of chunks) text += Buffer.from(chunk).toString();
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
  };
  const byId = (all: Iterable<Row>): readonly Row[] => [...all].sort((one, other) => one.id - other.id);
  return {
    async follow(): Promise<void> {
      const latest = [...rows.values()]
        .map(({ updated_at }) => updated_at)
        .sort()
        .at(-1);
      for (const row of await exported(latest)) rows.set(row.id, row);
    },
    async removeLost(): Promise<void> {
      const ids = new Set((await exported('', ['id'])).map(({ id }) => id));
      for (const id of rows.keys()) if (!ids.has(id)) rows.delete(id);
    },
    table: () => byId(rows.values()),
    everything: async () => byId(await exported()),
  };
}

/** Whole numbers below a limit, the same in each run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
