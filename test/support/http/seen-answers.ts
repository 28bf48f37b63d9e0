import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSeen, type ListedAnswer, listedAnswers } from './contract.js';

/** The files of test/http that must get the answers which openapi.yaml lists. */
const sections: Readonly<Record<string, string>> = {
  authenticate: 'authenticate',
  inviteUser: 'invite-user',
  issueLoginLink: 'issue-login-link',
  issueLoginLinkBySegment: 'issue-login-link',
  listUpcomingMeetings: 'list-upcoming-meetings',
  readWebhook: 'webhook',
  createWebhook: 'webhook',
  changeWebhook: 'webhook',
  exportMeetings: 'export-columns',
  exportMeetingsByPost: 'export-columns',
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
  413: 'body',
  415: 'body',
  429: 'failures',
  500: 'failures',
  503: 'failures',
};

/** The file that must get the answer: `test/http/<name>.test.ts`. */
export function fileFor({ id, status }: ListedAnswer): string {
  const section = sections[id];
  if (section === undefined) return outsideOperations[status] ?? ofEveryOperation[status] ?? 'paths';
  if (section === 'outside-api') return section;
  if (section === 'authenticate' && ['401', '429'].includes(status)) return section;
  // Of these operations, only a malformed body is 400.
  if (['authenticate', 'webhook'].includes(section) && status === '400') return 'body';
  return ofEveryOperation[status] ?? section;
}

/** Adds a test: the file has got every answer that it must get. Stands at the end of the file. */
export function testSeenAnswers(file: string): void {
  test('every answer that openapi.yaml lists, and that is tested here, has been seen', () => {
    const own = listedAnswers().filter((answer) => fileFor(answer) === file);
    assert.ok(own.length > 0, `${file} is a file for some answer`);
    assert.deepEqual(
      own.filter((answer) => !isSeen(answer)),
      [],
    );
  });
}
