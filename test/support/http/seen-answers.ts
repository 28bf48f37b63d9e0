import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSeen, type ListedAnswer, listedAnswers, unseenErrors } from './contract.js';

/** For each file of test/http, the operations whose responses its tests must see. */
const sections: Readonly<Record<string, readonly string[]>> = {
  authenticate: ['authenticate'],
  'invite-user': ['inviteUser'],
  'invite-users': ['inviteUsers'],
  invitations: ['listInvitations', 'readInvitation', 'revokeInvitation', 'renewInvitation'],
  'issue-login-link': ['issueLoginLink', 'issueLoginLinkBySegment'],
  'list-upcoming-meetings': ['listUpcomingMeetings'],
  users: ['listUsers', 'readUser', 'changeUser', 'removeUser', 'listUserMeetings'],
  webhook: ['readWebhook', 'createWebhook', 'changeWebhook'],
  'read-events': ['readEvents'],
  deliveries: ['testWebhook', 'redeliverFailed', 'listDeliveries', 'readDelivery', 'redeliver'],
  'webhook-rotation': ['finishRotation'],
  'export-columns': ['exportMeetings', 'exportMeetingsByPost', 'listExportColumns'],
  'meeting-changes': ['readMeetingChanges'],
  'outside-api': ['readHealth', 'readReadiness', 'readOpenapi'],
};

const outsideOperations: Readonly<Record<string, string>> = {
  400: 'invalid-http',
  404: 'paths',
  405: 'paths',
  408: 'slow-clients',
  431: 'invalid-http',
};

const ofEveryOperation: Readonly<Record<string, string>> = {
  401: 'access',
  409: 'idempotency-keys',
  413: 'body',
  415: 'body',
  429: 'failures',
  500: 'failures',
  503: 'failures',
};

/** The file of test/http whose tests must see an error of several operations. The others are seen with their status. */
const ofErrors: Readonly<Record<string, string>> = {
  'The body is not valid JSON': 'body',
  'Idempotency-Key must be 1 to 255 printable ASCII characters': 'idempotency-keys',
  'This Idempotency-Key was used for another request': 'idempotency-keys',
};

/** An overloaded service sends it before it knows the operation. `failures` sees it for some operations. */
const OVERLOADED = 'Service Unavailable';

/** The errors in examples that the file must see and no request in this process has got. */
function unseenExamples(file: string): readonly object[] {
  return listedAnswers().flatMap((answer) =>
    unseenErrors(answer)
      .filter((error) => (ofErrors[error] ?? fileFor(answer)) === file)
      .filter((error) => error !== OVERLOADED || file === 'failures')
      .map((error) => ({ id: answer.id, status: answer.status, error })),
  );
}

/** The name of the file that must see the response: `test/http/<name>.test.ts`. */
export function fileFor({ id, status }: Pick<ListedAnswer, 'id' | 'status'>): string {
  const section = Object.keys(sections).find((file) => sections[file]?.includes(id));
  assert.ok(section !== undefined || id === 'any path', `name the file that must see ${id}`);
  if (section === undefined) return outsideOperations[status] ?? ofEveryOperation[status] ?? 'paths';
  if (section === 'outside-api') return section;
  if (section === 'authenticate' && ['401', '429'].includes(status)) return section;
  // With these operations, only a malformed body gets 400.
  if (['authenticate', 'webhook'].includes(section) && status === '400') return 'body';
  // A test of the webhook has reasons of its own.
  if (id === 'testWebhook' && ['409', '422'].includes(status)) return section;
  // Erasing a person is refused for a reason of its own.
  if (id === 'removeUser' && status === '409') return section;
  // With the webhook, 422 has more reasons.
  if (status === '422' && section !== 'webhook') return 'idempotency-keys';
  return ofEveryOperation[status] ?? section;
}

/**
 * Adds a test that the file has seen every response that it must see, with the error of each example. Call it at the end
 * of the file.
 */
export function testSeenAnswers(file: string): void {
  test('the tests of this file have seen all their responses in openapi.yaml', () => {
    const own = listedAnswers().filter((answer) => fileFor(answer) === file);
    assert.ok(own.length > 0, `${file} must see some response`);
    assert.deepEqual(
      own.filter((answer) => !isSeen(answer)),
      [],
    );
    assert.deepEqual(unseenExamples(file), []);
  });
}
