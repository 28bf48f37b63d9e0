import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countedIds } from '@rollcall/core/testing';
import { type Database, transferDatabase } from '#adapters/sql/index.js';
import type { Asked, Reply } from '../support/http/client.js';
import { type HttpService, startHttpService } from '../support/http/service.js';
import { startPostgresDatabase } from '../support/postgres.js';
import { testNow } from '../support/test-service.js';

/**
 * Everything that the suites before have left in SQLite goes over to PostgreSQL, and each request that they have
 * made is made again, of both.
 */
export function copiedSuite(service: () => HttpService): void {
  describe('Copied over to PostgreSQL', () => {
    test('it answers every request byte for byte as the database that it was copied from', async (t) => {
      const { database, client } = service();
      assert.ok(database !== null);
      const target = await startPostgresDatabase();
      t.after(target.stop);
      await transferDatabase({ from: database, to: target.database });
      const here = await startAgain(database);
      t.after(here.stop);
      const there = await startAgain(target.database);
      t.after(there.stop);

      const requests = unlike(client.asked);
      const statuses = new Map<number, number>();
      for (const { method, path, sent } of requests) {
        const [expected, found] = await Promise.all([
          here.client.send(method, path, sent),
          there.client.send(method, path, sent),
        ]);
        assert.deepEqual(answer(found), answer(expected), `${method} ${path}`);
        statuses.set(expected.status, (statuses.get(expected.status) ?? 0) + 1);
      }
      t.diagnostic(`${requests.length} requests: ${JSON.stringify(Object.fromEntries(statuses))}`);
      assert.ok((statuses.get(200) ?? 0) > 100, 'most of what can be asked is asked');
      assert.deepEqual([...here.reports, ...there.reports], []);
    });
  });
}

/** A server over the database whose chance is counted, so that two of them make the same. */
async function startAgain(database: Database): Promise<HttpService> {
  const service = await startHttpService({
    database,
    settings: { failedAuthenticateLimit: 0 },
    ports: { ids: countedIds() },
  });
  service.clock.set(testNow);
  return service;
}

function unlike(asked: readonly Asked[]): readonly Asked[] {
  return [...new Map(asked.map((request) => [JSON.stringify(request), request])).values()];
}

/** A new secret. */
const made = /(?<=\/login\/\w+\.)[\w-]{43}|(?<=whsec_)[\w+/]{43}=/g;

/** What is the same whenever it is asked. */
function answer({ status, headers, text }: Reply): unknown {
  const { date: _date, 'x-request-id': _id, ...lasting } = headers;
  return { status, headers: lasting, text: text.replace(made, 'made') };
}
