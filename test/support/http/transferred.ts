import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { countedIds } from '@rollcall/core/testing';
import { type Database, transferDatabase } from '#adapters/sql/index.js';
import { startPostgresDatabase } from '../postgres.js';
import { testNow } from '../test-service.js';
import type { Asked } from './client.js';
import type { Reply } from './reply.js';
import { type HttpService, startHttpService } from './service.js';

/**
 * Transfers the data of the service from SQLite to PostgreSQL, sends every request that it has got to both, and
 * compares the answers.
 */
export async function compareAfterTransfer(
  t: TestContext,
  { database, client }: Pick<HttpService, 'database' | 'client'>,
): Promise<void> {
  assert.ok(database !== null);
  const target = await startPostgresDatabase();
  t.after(target.stop);
  await transferDatabase({ from: database, to: target.database });
  const source = await startAgain(database);
  t.after(source.stop);
  const copy = await startAgain(target.database);
  t.after(copy.stop);

  const requests = distinct(client.asked);
  for (const { method, path, sent } of requests) {
    const [expected, found] = await Promise.all([
      source.client.send(method, path, sent),
      copy.client.send(method, path, sent),
    ]);
    assert.deepEqual(comparable(found), comparable(expected), `${method} ${path}`);
  }
  assert.ok(requests.length > 0, 'nothing was compared');
  assert.deepEqual([...source.reports, ...copy.reports], []);
}

/** A service over the database. Its ids are counted, so that two services make the same ones. */
async function startAgain(database: Database): Promise<HttpService> {
  const service = await startHttpService({
    database,
    settings: { failedAuthenticateLimit: 0 },
    ports: { ids: countedIds() },
  });
  service.clock.set(testNow);
  return service;
}

function distinct(asked: readonly Asked[]): readonly Asked[] {
  return [...new Map(asked.map((request) => [JSON.stringify(request), request])).values()];
}

/** The secrets that are made for an answer. */
const made = /(?<=\/login\/\w+\.)[\w-]{43}|(?<=whsec_)[\w+/]{43}=/g;

/** The answer without what differs each time. */
function comparable({ status, headers, text }: Reply): unknown {
  const { date: _date, 'x-request-id': _id, ...lasting } = headers;
  return { status, headers: lasting, text: text.replace(made, 'made') };
}
