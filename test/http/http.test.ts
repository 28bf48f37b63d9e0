import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { unseenAnswers } from '../support/http/contract.js';
import { type HttpService, startHttpService } from '../support/http/service.js';
import { databaseKinds } from '../support/storage.js';
import { testNow } from '../support/test-service.js';
import { accessSuite } from './access.js';
import { authenticateLimitSuite, authenticateSuite } from './authenticate.js';
import { besideSuite } from './beside.js';
import { bodySuite } from './body.js';
import { copiedSuite } from './copied.js';
import { exportMeetingsSuite } from './export-meetings.js';
import { failureSuite } from './failures.js';
import { goldenSuite } from './golden.js';
import { inviteUserSuite } from './invite-user.js';
import { issueLoginLinkSuite } from './issue-login-link.js';
import { listUpcomingMeetingsSuite } from './list-upcoming-meetings.js';
import { serverSuite } from './server.js';
import { streamSuite } from './stream.js';
import { webhookSuite } from './webhook.js';

// One file and one process: every answer of every suite is held against openapi.yaml, and the last test asks
// whether each that it lists has been seen.

for (const database of databaseKinds) {
  describe(`The interface over ${database}`, () => {
    let service: HttpService;
    before(async () => {
      service = await startHttpService({ database, settings: { failedAuthenticateLimit: 0 } });
    });
    beforeEach(() => service.clock.set(testNow));
    after(() => service.stop());

    authenticateSuite(() => service);
    accessSuite(() => service);
    inviteUserSuite(() => service);
    issueLoginLinkSuite(() => service);
    listUpcomingMeetingsSuite(() => service);
    webhookSuite(() => service);
    exportMeetingsSuite(() => service);
    bodySuite(() => service);
    besideSuite(() => service);
    if (database === 'sqlite') copiedSuite(() => service);

    test('none of this was an unexpected failure', () => {
      assert.deepEqual(service.reports, []);
    });
  });
}

authenticateLimitSuite();
failureSuite();
streamSuite();
serverSuite();
goldenSuite();

test('every answer that openapi.yaml lists has been seen', () => {
  assert.deepEqual(unseenAnswers(), []);
});
