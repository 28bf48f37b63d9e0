import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { canDecode } from '../support/http/contract.js';
import { securedCalls } from '../support/http/operations.js';
import { base, outcomeOf, type Target, useHostileApi } from '../support/security/hostile-api.js';
import { MAX_HEAD_LENGTH } from '../support/security/hostile-values.js';

const { testEach, testNoFailure } = useHostileApi();

const unknownPath = [404, 'unknown-path', 'Not Found'];
const broken = [400, 'invalid-request', 'The path must be percent-encoded UTF-8'];

function inPath(method: string, start: string, end: string, check: Target['check']): Target {
  return {
    name: `${method} ${start}:value${end}`,
    call: ({ encoded }) =>
      encoded.length > MAX_HEAD_LENGTH ? null : { method, path: `${start}${encoded}${end}` },
    check,
  };
}

/** Without the value, the path is another one. */
function isAnswered(outcome: readonly unknown[], ifBroken: readonly unknown[] = broken): Target['check'] {
  return (reply, { encoded }) => {
    const expected = encoded === '' ? unknownPath : canDecode(encoded) ? outcome : ifBroken;
    assert.deepEqual(outcomeOf(reply), expected);
  };
}

describe('Hostile values in every path', () => {
  // The token is checked first, also for a path that cannot be decoded.
  const notAuthorized = [401, 'not-authorized', 'Not Authorized'];
  for (const { method, path } of securedCalls) {
    const target = inPath(method, '/api/v2/organizations/', path, isAnswered(notAuthorized, notAuthorized));
    testEach(`${method} ${path}: another spelling of the organization’s number is 401 Not Authorized`, {
      ...target,
      excluded: ['one'],
    });
  }

  const userNotFound = isAnswered([400, 'user-not-found', 'User not found']);
  const memberNotFound = isAnswered([404, 'member-not-found', 'User not found on Service']);
  const deliveryNotFound: Target['check'] = (reply, { encoded }) => {
    if (encoded === '' || !canDecode(encoded)) assert.ok([400, 404].includes(reply.status));
    else {
      assert.deepEqual([reply.status, reply.headers['x-error-code']], [404, 'delivery-not-found']);
      assert.match(reply.json.error, /^There is no (such delivery|delivery \d+)$/);
    }
  };
  for (const [method, start, end, check] of [
    ['POST', '/users/', '/generate_otl_url', userNotFound],
    ['POST', '/users/', '/one_time_login_link', userNotFound],
    ['GET', '/users/', '', memberNotFound],
    ['DELETE', '/users/', '', memberNotFound],
    ['GET', '/users/', '/upcoming_meetings', memberNotFound],
    ['GET', '/members/', '/upcoming_meetings', memberNotFound],
    ['GET', '/webhook/deliveries/', '', deliveryNotFound],
    ['POST', '/webhook/deliveries/', '/redeliver', deliveryNotFound],
  ] as const)
    testEach(
      `${method} ${start}:value${end}: nothing is found`,
      inPath(method, `${base}${start}`, end, check),
    );
});

testNoFailure();
