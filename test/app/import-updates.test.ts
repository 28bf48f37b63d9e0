import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import type { Database } from '#adapters/sql/index.js';
import { loadDataset } from '#app/dataset/load-dataset.js';
import { type Fields, meeting, ndjson, organization, rules } from '../support/import-records.js';
import { startEmptyPostgresDatabase } from '../support/postgres.js';
import { startEmptySqliteDatabase } from '../support/storage.js';

const starts = { sqlite: startEmptySqliteDatabase, postgres: startEmptyPostgresDatabase };
const others = [2, 3].map((id) => ({ kind: 'organization', id, name: `Organization ${id}`, eap: true }));
const service = { ...meeting, id: 9, organization_id: null };

for (const [engine, start] of Object.entries(starts)) {
  describe(`The time of update of an imported meeting, over ${engine}`, () => {
    let started: { readonly database: Database; stop(): Promise<void> };
    before(async () => {
      started = await start();
      await imported([organization, ...others]);
    });
    after(() => started.stop());

    /** Imports the records, and returns the times of update before and after it. */
    async function imported(
      records: readonly Fields[],
    ): Promise<{ readonly was: Times; readonly is: Times }> {
      const was = await times();
      const source = Readable.from([Buffer.from(ndjson(...records))]);
      // An import counts as made when it is applied, not when it began.
      await loadDataset({ database: started.database, source, rules, at: new Date('2020-01-01T00:00:00Z') });
      return { was, is: await times() };
    }

    type Times = Readonly<Record<number, string>>;

    async function times(): Promise<Times> {
      const rows = await started.database.read.all<{ id: number; updated_at: string }>(
        'SELECT id, updated_at FROM meetings',
      );
      return Object.fromEntries(rows.map(({ id, updated_at }) => [id, updated_at]));
    }

    const now = (): string => new Date().toISOString();

    test('is that of the import for a new meeting, and the same for all of them', async () => {
      const from = now();
      const { is } = await imported([
        meeting,
        { ...meeting, id: 2 },
        { ...service, eap_organization_ids: [2] },
      ]);
      const [one = ''] = Object.values(is);
      assert.deepEqual(is, { 1: one, 2: one, 9: one });
      assert.ok(one >= from && one <= now(), `${from} ${one} ${now()}`);
    });

    test('changes if the meeting does, and otherwise stays', async () => {
      const same = [meeting, { ...meeting, id: 2 }, { ...service, eap_organization_ids: [2] }];
      const unchanged = await imported(same);
      assert.deepEqual(unchanged.is, unchanged.was);

      const { was, is } = await imported([meeting, { ...meeting, id: 2, topic: 'Sleep' }]);
      assert.deepEqual({ ...is, 2: '' }, { ...was, 2: '' });
      assert.ok(String(is[2]) > String(was[2]));
    });

    for (const [what, organizations, isChange] of [
      ['an organization more', [2, 1], true],
      ['the same organizations in another order', [1, 2], false],
      ['one of them replaced by another', [3, 2], true],
      ['one less', [3], true],
      ['none', [], true],
      ['none again', [], false],
      ['one', [1], true],
      ['the list left out', undefined, false],
    ] as const) {
      test(`of a service meeting ${isChange ? 'changes' : 'stays'}: ${what}`, async () => {
        const { was, is } = await imported([meeting, { ...service, eap_organization_ids: organizations }]);
        assert.equal(is[1], was[1]);
        if (isChange) assert.ok(String(is[9]) > String(was[9]), `${was[9]} ${is[9]}`);
        else assert.equal(is[9], was[9]);
      });
    }

    test('of a service meeting: only the last record of the meeting counts', async () => {
      const { was, is } = await imported([
        { ...service, eap_organization_ids: [2, 3] },
        { ...service, eap_organization_ids: [1] },
      ]);
      assert.deepEqual(is, was);
    });
  });
}
