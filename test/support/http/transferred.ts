import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { countedIds } from '@rollcall/core/testing';
import type { Database } from '#adapters/sql/index.js';
import { transferDatabase } from '#adapters/sql/maintenance/index.js';
import { startPostgresDatabase } from '../postgres.js';
import { testNow } from '../test-service.js';
import { wrongKeyLimit } from '../wrong-key-limit.js';
import type { SentRequest } from './client.js';
import type { Reply } from './reply.js';
import { type HttpService, startHttpService } from './service.js';

/**
 * Transfers the data of the service from SQLite to PostgreSQL, sends all its earlier requests to both, and compares the
 * responses.
 */
export async function compareAfterTransfer(
  t: TestContext,
  { database, client }: Pick<HttpService, 'database' | 'client'>,
): Promise<void> {
  assert.ok(database !== null);
  const target = await startPostgresDatabase();
  t.after(target.stop);
  await transferDatabase({ from: database, to: target.database });
  const source = await startOver(database);
  t.after(source.stop);
  const copy = await startOver(target.database);
  t.after(copy.stop);

  const requests = distinct(client.requests);
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

/** Starts a service over the database. Its IDs are counted, so that two services generate the same ones. */
async function startOver(database: Database): Promise<HttpService> {
  const service = await startHttpService({
    database,
    settings: wrongKeyLimit(0),
    ports: { ids: countedIds() },
  });
  service.clock.set(testNow);
  return service;
}

function distinct(requests: readonly SentRequest[]): readonly SentRequest[] {
  return [...new Map(requests.map((request) => [JSON.stringify(request), request])).values()];
}

/** The secrets that are generated for a response. */
const generatedSecrets = /(?<=\/login\/\w+\.)[\w-]{43}|(?<=whsec_)[\w+/]{43}=/g;

/** The response without the parts that differ each time. */
function comparable({ status, headers, text }: Reply): unknown {
  const { date: _date, 'x-request-id': _id, ...constant } = headers;
  return { status, headers: constant, text: text.replace(generatedSecrets, 'generated') };
}
