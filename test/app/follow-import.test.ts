import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { memoryPorts } from '@rollcall/core/testing';
import { type Database, sqlPorts } from '#adapters/sql/index.js';
import { DatasetError, importPlace, PlaceTaken } from '#adapters/sql/maintenance/index.js';
import type { CommandContext } from '#app/command-context.js';
import { type FollowImport, followImport } from '#app/follow/follow-import.js';
import type { FollowedLine } from '#app/follow/line-source.js';
import { type Fields, membership, ndjson, organization } from '../support/import-records.js';
import { startEmptyPostgresDatabase } from '../support/postgres.js';
import { startEmptySqliteDatabase } from '../support/storage.js';

const starts = { sqlite: startEmptySqliteDatabase, postgres: startEmptyPostgresDatabase };
const file = '/somewhere/changes.ndjson';
const { access_key: _key, ...northwind } = organization;

function linesOf(records: readonly Fields[], firstNumber = 1): readonly FollowedLine[] {
  return records.map((record, index) => {
    const number = firstNumber + index;
    const place = { identity: 'the same file', position: 100 * number, line: number };
    return { number, bytes: Buffer.from(ndjson(record)), place };
  });
}

for (const [engine, start] of Object.entries(starts)) {
  describe(`Following a file over ${engine}`, () => {
    async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
      const { database, stop } = await start();
      try {
        await work(database);
      } finally {
        await stop();
      }
    }
    /** Reads the lines in batches, each with a commit of its own. Returns the numbers of lines up to which was stored. */
    async function follow(
      database: Database,
      {
        batches,
        ...options
      }: Partial<FollowImport> & { readonly batches: readonly (readonly FollowedLine[])[] },
    ): Promise<readonly number[]> {
      const left = [...batches];
      const stored: number[] = [];
      await followImport({
        context: {
          ...{ database, config: { serviceName: 'Service', thirdPartyLocation: 'zoom' } },
          ports: { ...memoryPorts().ports, ...sqlPorts(database) },
          clock: { now: () => new Date('2026-11-20T12:00:00.000Z') },
        } as unknown as CommandContext,
        source: {
          read: async () => left.shift() ?? [],
          isEnded: () => left.length === 0,
          close: async () => undefined,
        },
        ...{ file, place: null, signal: new AbortController().signal, reject: null },
        onCommit: ({ line }) => stored.push(line),
        notice: () => undefined,
        ...options,
      });
      return stored;
    }

    test('stores lines only behind the place that it has stored last', async () => {
      await withDatabase(async (database) => {
        const [first, second, third] = linesOf([
          northwind,
          { ...northwind, name: 'Second' },
          { ...northwind, name: 'Third' },
        ]).map((line) => [line]);
        assert.ok(first && second && third);
        await follow(database, { batches: [first] });
        const place = await importPlace(database, file);
        await follow(database, { batches: [second], place });
        await follow(database, { batches: [third], place: await importPlace(database, file) });
        for (const behind of [place, null])
          await assert.rejects(follow(database, { batches: [second], place: behind }), PlaceTaken);
        assert.deepEqual(await database.read.all('SELECT name FROM organizations'), [{ name: 'Third' }]);
        assert.equal((await importPlace(database, file))?.line, 3);
      });
    });

    test('ends with the error of the first wrong line, after those before it are stored', async () => {
      await withDatabase(async (database) => {
        const lines = linesOf([
          northwind,
          membership,
          { ...northwind, id: 2 },
          { ...membership, organization_id: 3 },
          { kind: 'user' },
        ]);
        const error = await follow(database, { batches: [lines] }).catch((thrown: unknown) => thrown);
        assert.ok(error instanceof DatasetError);
        assert.deepEqual([error.line, error.field], [2, 'user_id']);
        assert.deepEqual(await database.read.all('SELECT id FROM organizations'), [{ id: 1 }]);
        assert.equal((await importPlace(database, file))?.line, 1);
      });
    });

    test('goes on after a commit whose answer was lost', async () => {
      await withDatabase(async (database) => {
        let isLost = true;
        const doubtful: Database = {
          ...database,
          async bulk(work) {
            const result = await database.bulk(work);
            if (!isLost) return result;
            isLost = false;
            throw new Unavailable('The connection is lost.');
          },
        };
        const lines = linesOf([northwind, { ...northwind, name: 'Second' }]);
        const stored = await follow(doubtful, { batches: [lines.slice(0, 1), lines.slice(1)] });
        assert.deepEqual([isLost, stored.at(-1)], [false, 2]);
        assert.deepEqual(await database.read.all('SELECT name FROM organizations'), [{ name: 'Second' }]);
      });
    });
  });
}
