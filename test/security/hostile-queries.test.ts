import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import {
  always200,
  base,
  MAX_HEAD_LENGTH,
  namesField,
  refusedOrAccepted,
  type Target,
  useHostileApi,
} from '../support/security/hostile-api.js';

const { sendAll, testNoFailure } = useHostileApi();

function inQuery(path: string, parameter: string, check: Target['check']): Target {
  return {
    name: `GET ${path}?${parameter}=`,
    call({ encoded }) {
      // These separate the parts of a query; escaped, they are part of the value.
      const value = encoded.replaceAll('&', '%26').replaceAll('#', '%23');
      return value.length > MAX_HEAD_LENGTH
        ? null
        : {
            method: 'GET',
            path: `${base}${path}${path.includes('?') ? '&' : '?'}${parameter}=${value}`,
          };
    },
    check,
  };
}

/** The parameters that are numbers. */
const numbers = {
  '/members/idp-1/upcoming_meetings': ['page', 'items'],
  '/export_meetings?column=name': ['page', 'per_page'],
  '/webhook/deliveries': ['limit'],
  '/events': ['limit'],
  '/meeting_changes': ['limit'],
  '/users': ['limit'],
  [`/users/${testUuid(1)}/upcoming_meetings`]: ['page', 'items'],
};

describe('Hostile values in every query', () => {
  for (const [path, parameters] of Object.entries(numbers)) {
    for (const parameter of parameters) {
      test(`${path} ${parameter}: is clamped or the default, never refused`, () =>
        sendAll(inQuery(path, parameter, always200)));
    }
  }
  for (const parameter of ['state', 'after']) {
    test(`webhook/deliveries ${parameter}: is a 400 that names it`, () =>
      sendAll(inQuery('/webhook/deliveries', parameter, queryRefusal(parameter))));
  }
  for (const parameter of ['event_id', 'since', 'until']) {
    test(`webhook/deliveries ${parameter}: is accepted, or a 400 that names it`, () =>
      sendAll(inQuery('/webhook/deliveries', parameter, refusedOrAccepted(parameter))));
  }
  for (const parameter of ['column[]', 'column', 'column[0]']) {
    test(`export_meetings ${parameter}: an unknown column is a 400 that names column`, () =>
      sendAll(inQuery('/export_meetings', parameter, queryRefusal('column'))));
  }
  for (const parameter of ['reporting_days', 'report_type']) {
    test(`export_meetings ${parameter}: is a 400 that names it`, () =>
      sendAll(inQuery('/export_meetings?column=name', parameter, queryRefusal(parameter))));
  }
  for (const parameter of ['start_time', 'end_time', 'time_zone', 'updated_since']) {
    test(`export_meetings ${parameter}: is accepted, or a 400 that names it`, () =>
      sendAll(inQuery('/export_meetings?column=name', parameter, refusedOrAccepted(parameter))));
  }
  for (const parameter of ['after', 'column']) {
    test(`meeting_changes ${parameter}: is a 400 that names it`, () =>
      sendAll(inQuery('/meeting_changes', parameter, queryRefusal(parameter))));
  }
  for (const parameter of ['after', 'order', 'event']) {
    test(`events ${parameter}: is a 400 that names it`, () =>
      sendAll(inQuery('/events', parameter, queryRefusal(parameter))));
  }
  for (const parameter of ['email', 'idp_id', 'search']) {
    test(`users ${parameter}: is accepted, or a 400 that names it`, () =>
      sendAll(inQuery('/users', parameter, refusedOrAccepted(parameter))));
  }
  for (const parameter of ['role', 'after']) {
    test(`users ${parameter}: is a 400 that names it`, () =>
      sendAll(inQuery('/users', parameter, queryRefusal(parameter))));
  }
  test('a hostile name of a parameter is ignored', () =>
    sendAll({
      name: 'GET export_meetings?:value=1',
      call: ({ encoded }) =>
        encoded.length > MAX_HEAD_LENGTH
          ? null
          : {
              method: 'GET',
              path: `${base}/export_meetings?${encoded.replaceAll('#', '%23')}=1&column=name`,
            },
      check: always200,
    }));
});

function queryRefusal(field: string): Target['check'] {
  return (reply, value) => {
    if (reply.status === 200) assert.equal(value.encoded, '');
    else namesField(reply, field);
  };
}

testNoFailure();
