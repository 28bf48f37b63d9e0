import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSeen, type ListedAnswer, listedAnswers, unseenErrors } from './contract.js';

/** For each operation, the file of test/http whose tests must see its responses. */
const sections: Readonly<Record<string, string>> = {
  authenticate: 'authenticate',
  inviteUser: 'invite-user',
  inviteUsers: 'invite-users',
  listInvitations: 'invitations',
  readInvitation: 'invitations',
  revokeInvitation: 'invitations',
  renewInvitation: 'invitations',
  issueLoginLink: 'issue-login-link',
  issueLoginLinkBySegment: 'issue-login-link',
  listUpcomingMeetings: 'list-upcoming-meetings',
  listUsers: 'users',
  readUser: 'users',
  changeUser: 'users',
  removeUser: 'users',
  listUserMeetings: 'users',
  readWebhook: 'webhook',
  createWebhook: 'webhook',
  changeWebhook: 'webhook',
  readEvents: 'read-events',
  testWebhook: 'deliveries',
  redeliverFailed: 'deliveries',
  listDeliveries: 'deliveries',
  readDelivery: 'deliveries',
  redeliver: 'deliveries',
  finishRotation: 'webhook-rotation',
  exportMeetings: 'export-columns',
  exportMeetingsByPost: 'export-columns',
  listExportColumns: 'export-columns',
  readMeetingChanges: 'meeting-changes',
  readHealth: 'outside-api',
  readReadiness: 'outside-api',
  readOpenapi: 'outside-api',
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
  const section = sections[id];
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
