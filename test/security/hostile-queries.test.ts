import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import {
  always200,
  base,
  namesField,
  refusedOrAccepted,
  type Target,
  useHostileApi,
} from '../support/security/hostile-api.js';
import { MAX_HEAD_LENGTH } from '../support/security/hostile-values.js';

const { testEach, testNoFailure } = useHostileApi();

type Parameters = Readonly<Record<string, readonly string[]>>;

const numbers: Parameters = {
  '/members/idp-1/upcoming_meetings': ['page', 'items'],
  '/export_meetings?column=name': ['page', 'per_page'],
  '/webhook/deliveries': ['limit'],
  '/events': ['limit'],
  '/meeting_changes': ['limit'],
  '/users': ['limit'],
  [`/users/${testUuid(1)}/upcoming_meetings`]: ['page', 'items'],
};
const refused: Parameters = {
  '/webhook/deliveries': ['state', 'after'],
  '/export_meetings?column=name': ['reporting_days', 'report_type'],
  '/meeting_changes': ['after', 'column'],
  '/events': ['after', 'order', 'event'],
  '/users': ['role', 'after'],
};
const checked: Parameters = {
  '/webhook/deliveries': ['event_id', 'since', 'until'],
  '/export_meetings?column=name': ['start_time', 'end_time', 'time_zone', 'updated_since'],
  '/users': ['email', 'idp_id', 'search'],
};

function inQuery(start: string, check: Target['check'], end = ''): Target {
  return {
    name: `GET ${start}`,
    call: ({ encoded }) =>
      encoded.length > MAX_HEAD_LENGTH ? null : { method: 'GET', path: `${base}${start}${encoded}${end}` },
    check,
  };
}

function queryRefusal(field: string): Target['check'] {
  return (reply, value) => {
    if (reply.status === 200) assert.equal(value.encoded, '');
    else namesField(reply, field);
  };
}

describe('Hostile values in every query', () => {
  const outcomes = [
    ['is clamped or the default, never refused', numbers, () => always200],
    ['is a 400 that names it', refused, queryRefusal],
    ['is accepted, or a 400 that names it', checked, refusedOrAccepted],
  ] as const;
  for (const [what, places, checkOf] of outcomes)
    for (const [path, parameters] of Object.entries(places))
      for (const parameter of parameters) {
        const start = `${path}${path.includes('?') ? '&' : '?'}${parameter}=`;
        testEach(`${path} ${parameter}: ${what}`, inQuery(start, checkOf(parameter)));
      }
  for (const parameter of ['column[]', 'column', 'column[0]']) {
    const target = inQuery(`/export_meetings?${parameter}=`, queryRefusal('column'));
    testEach(`export_meetings ${parameter}: an unknown column is a 400 that names column`, target);
  }
  const asName = inQuery('/export_meetings?', always200, '=1&column=name');
  testEach('a hostile name of a parameter is ignored', asName);
});

testNoFailure();
