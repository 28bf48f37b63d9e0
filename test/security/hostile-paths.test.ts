import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  base,
  canDecode,
  MAX_HEAD_LENGTH,
  outcomeOf,
  type Target,
  useHostileApi,
} from '../support/security/hostile-api.js';

const { sendAll, testNoFailure } = useHostileApi();

/** The token is checked first, also for a path that cannot be decoded. */
function inPath(
  path: (encoded: string) => string,
  method: string,
  outcome: readonly unknown[],
  broken: readonly unknown[] = [400, 'invalid-request', 'The path must be percent-encoded UTF-8'],
): Target {
  return {
    name: `${method} ${path(':value')}`,
    call: ({ encoded }) =>
      encoded.length > MAX_HEAD_LENGTH ? null : { method, path: path(encoded.replaceAll('?', '%3F')) },
    check(reply, { encoded }) {
      const expected =
        encoded === '' ? [404, 'unknown-path', 'Not Found'] : canDecode(encoded) ? outcome : broken;
      assert.deepEqual(outcomeOf(reply), expected);
    },
  };
}

describe('Hostile values in every path', () => {
  const uuid = '00000000-0000-4000-8000-000000000001';
  const notAuthorized = [401, 'not-authorized', 'Not Authorized'];
  const paths: readonly (readonly [method: string, path: string])[] = [
    ['POST', '/invite_user'],
    ['POST', `/users/${uuid}/generate_otl_url`],
    ['POST', `/users/${uuid}/one_time_login_link`],
    ['GET', '/users'],
    ['GET', `/users/${uuid}`],
    ['PATCH', `/users/${uuid}`],
    ['DELETE', `/users/${uuid}`],
    ['GET', `/users/${uuid}/upcoming_meetings`],
    ['GET', '/members/idp-1/upcoming_meetings'],
    ['GET', '/webhook'],
    ['POST', '/webhook'],
    ['PATCH', '/webhook'],
    ['GET', '/events'],
    ['GET', '/meeting_changes'],
    ['POST', '/webhook/test'],
    ['POST', '/webhook/redeliver_failed'],
    ['GET', '/webhook/deliveries'],
    ['GET', '/webhook/deliveries/1'],
    ['POST', '/webhook/deliveries/1/redeliver'],
    ['POST', '/webhook/finish_rotation'],
    ['GET', '/export_meetings'],
    ['POST', '/export_meetings'],
    ['GET', '/export_meetings/columns'],
  ];
  for (const [method, rest] of paths) {
    const everyValue = inPath(
      (encoded) => `/api/v2/organizations/${encoded}${rest}`,
      method,
      notAuthorized,
      notAuthorized,
    );
    const target = { ...everyValue, excluded: ['one'] };
    test(`${method} ${rest}: another spelling of the organization’s number is 401 Not Authorized`, () =>
      sendAll(target));
  }

  for (const segment of ['generate_otl_url', 'one_time_login_link']) {
    test(`${segment}: an unknown UUID is 400 User not found`, () =>
      sendAll(
        inPath((encoded) => `${base}/users/${encoded}/${segment}`, 'POST', [
          400,
          'user-not-found',
          'User not found',
        ]),
      ));
  }

  for (const [method, end] of [
    ['GET', ''],
    ['POST', '/redeliver'],
  ] as const) {
    test(`${method} webhook/deliveries/:value${end}: an unknown id is 404`, () => {
      const target = inPath((encoded) => `${base}/webhook/deliveries/${encoded}${end}`, method, []);
      return sendAll({
        ...target,
        check(reply, { encoded }) {
          if (encoded === '' || !canDecode(encoded)) assert.ok([400, 404].includes(reply.status));
          else {
            assert.deepEqual([reply.status, reply.headers['x-error-code']], [404, 'delivery-not-found']);
            assert.match(reply.json.error, /^There is no (such delivery|delivery \d+)$/);
          }
        },
      });
    });
  }

  for (const [method, rest] of [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/upcoming_meetings'],
  ] as const) {
    test(`${method} users/:uuid${rest}: an unknown UUID is 404`, () => {
      const target = inPath((encoded) => `${base}/users/${encoded}${rest}`, method, [
        404,
        'member-not-found',
        'User not found on Service',
      ]);
      return sendAll(target);
    });
  }

  test('upcoming_meetings: an unknown idp_id is 404', () =>
    sendAll(
      inPath((encoded) => `${base}/members/${encoded}/upcoming_meetings`, 'GET', [
        404,
        'member-not-found',
        'User not found on Service',
      ]),
    ));
});

testNoFailure();
