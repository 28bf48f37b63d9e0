import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type DatabaseKind, databaseKinds } from '../storage.js';
import { testNow } from '../test-service.js';
import { wrongKeyLimit } from '../wrong-key-limit.js';
import { type HttpService, startHttpService } from './service.js';
import { compareAfterTransfer } from './transferred.js';

/** Tests over a running service. Before each test its clock is set to `testNow`. */
type Suite = (service: () => HttpService) => void;

/** Runs the tests on each kind of database. Then the requests to SQLite are repeated on PostgreSQL. */
export function onEachDatabase(suite: Suite): void {
  for (const database of databaseKinds) onDatabase(database, suite);
}

/** Runs the tests on one kind of database, which is enough if the responses do not depend on it. */
export function onDatabase(database: DatabaseKind, suite: Suite): void {
  describe(`The API over ${database}`, () => {
    let service: HttpService;
    before(async () => {
      service = await startHttpService({ database, settings: wrongKeyLimit(0) });
    });
    beforeEach(() => service.clock.set(testNow));
    after(() => service.stop());

    suite(() => service);

    if (database === 'sqlite') {
      test('after a transfer to PostgreSQL, every request gets the same response, byte for byte', (t) =>
        compareAfterTransfer(t, service));
    }

    test('no unexpected error was reported', () => {
      assert.deepEqual(service.reports, []);
    });
  });
}
