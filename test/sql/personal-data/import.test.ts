import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { DatasetError } from '#adapters/sql/maintenance/index.js';
import { loadDataset } from '#app/dataset/load-dataset.js';
import {
  type Fields,
  meeting,
  membership,
  ndjson,
  organization,
  registration,
  rules,
  user,
  waiting,
} from '../../support/import-records.js';
import { startEmptyPostgresDatabase } from '../../support/postgres.js';
import { startTestService } from '../../support/test-service.js';
import { copiedTables, dump } from '../../support/transfer.js';

const at = new Date('2026-11-20T12:00:00.000Z');
const by = { who: { kind: 'operator' }, from: null } as const;
const uuid = user.uuid.toLowerCase();
const led = { ...meeting, id: 2, group_leader_id: user.id };
const everything = [organization, user, membership, meeting, led, registration];

async function start() {
  const { database, stop } = await startEmptyPostgresDatabase();
  const { core } = await startTestService({ database });
  return {
    ...{ core, stop },
    load: (records: readonly Fields[], beforeCommit = async (): Promise<void> => {}) =>
      loadDataset({
        ...{ database, rules, at, beforeCommit },
        source: Readable.from([Buffer.from(ndjson(...records))]),
      }),
    /** The tables with the person's UUID or address, or a row of theirs. */
    async tablesWithPerson(): Promise<readonly string[]> {
      const tables = await copiedTables(database);
      const found = await dump(database, tables);
      return tables.filter((table) =>
        found[table]?.some((row) => {
          const text = JSON.stringify(row).toLowerCase();
          const { user_id: userId, group_leader_id: leader } = row;
          return (
            [userId, leader].includes(user.id) || text.includes(uuid) || /dana@example|dana kim/.test(text)
          );
        }),
      );
    },
  };
}

describe('A person who is erased during an import, over PostgreSQL', () => {
  test('is erased after an import that holds its transaction, with what it has stored', async (t) => {
    const { core, load, tablesWithPerson, stop } = await start();
    t.after(stop);
    await load([organization, user, membership, meeting, registration]);
    let isErased = false;
    let erasing: Promise<unknown> = Promise.resolve();
    // The first meeting that the person leads. Its host is their name.
    await load([{ ...membership, role: 'admin' }, { ...led, host: 'Dana Kim' }, waiting], async () => {
      erasing = core.eraseUser({ uuid, by }).then(() => {
        isErased = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 700));
      assert.equal(isErased, false);
    });
    await erasing;
    assert.deepEqual(await tablesWithPerson(), []);
    await assert.rejects(core.readUserData({ uuid }), { code: 'user-not-found' });
  });

  test('is not brought back by records that only refer to them', async (t) => {
    const { core, load, tablesWithPerson, stop } = await start();
    t.after(stop);
    const outcomes: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      await load(everything);
      const importing = load([{ ...membership, role: 'admin' }, registration, led, waiting]).then(
        () => 'stored',
        (error: unknown) => {
          if (!(error instanceof DatasetError)) throw error;
          return error.message;
        },
      );
      await new Promise((resolve) => setTimeout(resolve, round * 10));
      const [outcome] = await Promise.all([importing, core.eraseUser({ uuid, by })]);
      outcomes.push(outcome);
      assert.deepEqual(await tablesWithPerson(), [], outcomes.join(', '));
    }
    const refused = outcomes.filter((outcome) => outcome !== 'stored');
    assert.deepEqual(new Set(refused), new Set(refused.length === 0 ? [] : [`there is no user ${user.id}`]));
  });
});
