import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { testNow } from '../test-service.js';
import { wrongKeyLimit } from '../wrong-key-limit.js';
import { type HttpService, startHttpService } from './service.js';

/**
 * Runs the tests over a service in memory. Before each test its clock is set to `testNow`. That the answers do not depend
 * on the database is tested by `http/engines`.
 */
export function apiSuite(suite: (service: () => HttpService) => void): void {
  describe('The API', () => {
    let service: HttpService;
    before(async () => {
      service = await startHttpService({ settings: wrongKeyLimit(0) });
    });
    beforeEach(() => service.clock.set(testNow));
    after(() => service.stop());

    suite(() => service);

    test('no unexpected error was reported', () => {
      assert.deepEqual(service.reports, []);
    });
  });
}
