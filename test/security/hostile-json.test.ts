import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testUuid } from '@rollcall/core/testing';
import {
  always200,
  base,
  isUnreadable,
  namesField,
  outcomeOf,
  type ReadBack,
  refusedOrAccepted,
  type Target,
  useHostileApi,
} from '../support/security/hostile-api.js';
import { fillBody, invitedAgain, otherFields, personFields } from '../support/security/hostile-people.js';
import type { HostileValue } from '../support/security/hostile-values.js';

const { everywhere, sendAll, testNoFailure } = useHostileApi();

const json = { 'Content-Type': 'application/json' };

function inJson(
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: string },
  rest: Pick<Target, 'check' | 'readBack' | 'excluded'>,
): Target {
  return {
    name: `${method} ${path} ${body}`,
    call: (value, number) => ({
      method,
      path,
      sent: { headers: json, body: fillBody(body, value.json, number) },
    }),
    ...rest,
  };
}

/** Accepted only if it counts as left out: no hostile value is allowed. */
function refusedUnlessEmpty(field: string): Target['check'] {
  return (reply, value) => {
    if (reply.status === 200) assert.ok(['', 'null', '""'].includes(value.json) || value.text === '');
    else if (!isUnreadable(reply, value)) namesField(reply, field);
  };
}

function parsed({ json }: HostileValue): unknown {
  return JSON.parse(json);
}

describe('Hostile values in every JSON body', () => {
  test('authenticate: is 401 Invalid Access Key', () =>
    sendAll(
      inJson(
        { method: 'POST', path: '/api/v2/authenticate', body: '{"access_key":VALUE}' },
        {
          check(reply, value) {
            if (isUnreadable(reply, value)) return;
            assert.deepEqual(outcomeOf(reply), [401, 'invalid-access-key', 'Invalid Access Key']);
          },
        },
      ),
    ));

  for (const field of personFields) {
    test(`invite_user ${field}: is stored as it is, or a 400 that names it`, () => {
      const body = JSON.stringify({ ...otherFields, [field]: 'VALUE' }).replace('"VALUE"', 'VALUE');
      return sendAll(
        inJson(
          { method: 'POST', path: `${base}/invite_user`, body },
          {
            check: refusedOrAccepted(field),
            readBack: invitedAgain({ everywhere, field, sentText: parsed }),
          },
        ),
      );
    });
  }

  test('PATCH users/:uuid idp_id: is stored as it is, or a 400 that names it', () =>
    sendAll(
      inJson(
        { method: 'PATCH', path: `${base}/users/${testUuid(1)}`, body: '{"user":{"idp_id":VALUE}}' },
        {
          check: refusedOrAccepted('(?:user\\.)?idp_id'),
          async readBack(reply, value) {
            assert.equal(reply.json.user.idp_id, parsed(value));
            const again = await everywhere({ method: 'GET', path: `${base}/users/${testUuid(1)}` });
            assert.deepEqual(again.json, reply.json);
          },
        },
      ),
    ));

  const lists = {
    'invite_users users': '{"users":VALUE}',
    'invite_users users[0]': '{"users":[VALUE]}',
    ...Object.fromEntries(
      ['email', 'first_name', 'last_name', 'idp_id'].map((field) => [
        `invite_users users[0].${field}`,
        `{"users":[{"email":"a@b.test","first_name":"A","last_name":"B","${field}":VALUE}]}`,
      ]),
    ),
  };
  for (const [name, body] of Object.entries(lists)) {
    test(`${name}: is stored, or refused with a reason`, () =>
      sendAll(
        inJson(
          { method: 'POST', path: `${base}/invite_users`, body },
          {
            check(reply, value) {
              if (isUnreadable(reply, value)) return;
              if (reply.status !== 200) return namesField(reply, 'users');
              for (const { error } of reply.json.results) assert.match(error ?? 'none', /[a-z]{4}/);
            },
          },
        ),
      ));
  }

  for (const field of ['first_name', 'last_name', 'idp_id']) {
    test(`renewing an unknown invitation with it as ${field}: is a 404, or a 400 that names it`, () =>
      sendAll(
        inJson(
          { method: 'POST', path: `${base}/invitations/${testUuid(1)}/renew`, body: `{"${field}":VALUE}` },
          {
            check(reply, value) {
              if (reply.status !== 404 && !isUnreadable(reply, value)) namesField(reply, field);
            },
          },
        ),
      ));
  }

  for (const method of ['POST', 'PATCH']) {
    const path = `${base}/webhook`;
    const refusal =
      (field: string): Target['check'] =>
      (reply, value) => {
        if (reply.status === 200 || isUnreadable(reply, value)) return;
        assert.deepEqual([reply.status, reply.headers['x-error-code']], [422, 'invalid-webhook']);
        const [first = ''] = reply.json.errors as readonly string[];
        assert.match(first, new RegExp(`^${field}\\S* (?:must|is required|holds)`));
      };
    const readAgain: ReadBack = async (reply) => {
      const { json: read } = await everywhere({ method: 'GET', path });
      assert.deepEqual(read.webhook, { ...reply.json.webhook, secret: 'whsec_********' });
    };
    const fields = {
      webhook: '{"webhook":VALUE}',
      'webhook.url': '{"webhook":{"enabled":true,"events":["user.registered"],"url":VALUE}}',
      'webhook.enabled': '{"webhook":{"enabled":VALUE,"url":"https://a.test","events":["user.registered"]}}',
      'webhook.events': '{"webhook":{"enabled":true,"url":"https://a.test","events":VALUE}}',
      regenerate_secret: '{"webhook":{"enabled":false},"regenerate_secret":VALUE}',
    };
    for (const [field, body] of Object.entries(fields)) {
      test(`${method} webhook ${field}: is stored as it is, or a 422 that names it`, () =>
        sendAll(
          inJson(
            { method, path, body },
            {
              check: refusal(field),
              async readBack(reply, value) {
                if (field === 'webhook.url') assert.equal(reply.json.webhook.url, parsed(value) ?? '');
                if (field === 'webhook.enabled') assert.equal(reply.json.webhook.enabled, parsed(value));
                await readAgain(reply, value);
              },
            },
          ),
        ));
    }
    test(`${method} webhook.events: a good event and a hostile one are a 422`, () =>
      sendAll(
        inJson(
          {
            method,
            path,
            body: '{"webhook":{"enabled":true,"url":"https://a.test","events":["user.registered",VALUE]}}',
          },
          {
            check(reply, value) {
              assert.notEqual(reply.status, 200);
              refusal('webhook.events')(reply, value);
            },
          },
        ),
      ));
  }

  test('redeliver_failed since: is a time, or a 400 that names it', () =>
    sendAll(
      inJson(
        { method: 'POST', path: `${base}/webhook/redeliver_failed`, body: '{"since":VALUE}' },
        {
          check(reply, value) {
            if (isUnreadable(reply, value)) return;
            if (reply.status === 202) assert.match(String(parsed(value)), /^\d{4}-.*T.*Z$/);
            else namesField(reply, 'since');
          },
        },
      ),
    ));

  const exportPath = `${base}/export_meetings`;
  const exportChecks: Readonly<Record<string, Target['check']>> = {
    column: (reply, value) => {
      if (reply.status === 200) assert.ok(['', 'null', '[]', '""'].includes(value.json), value.json);
      else if (!isUnreadable(reply, value)) namesField(reply, 'column');
    },
    reporting_days: refusedUnlessEmpty('reporting_days'),
    report_type: refusedUnlessEmpty('report_type'),
    start_time: refusedOrAccepted('start_time'),
    end_time: refusedOrAccepted('end_time'),
    time_zone: refusedOrAccepted('time_zone'),
    updated_since: (reply, value) => {
      if (value.json !== '"2026-11-20T18:00:00Z"') refusedUnlessEmpty('updated_since')?.(reply, value);
      else assert.equal(reply.status, 200);
    },
    page: (reply, value) => {
      if (!isUnreadable(reply, value)) always200(reply, value);
    },
    per_page: (reply, value) => {
      if (!isUnreadable(reply, value)) always200(reply, value);
    },
  };
  for (const [field, check] of Object.entries(exportChecks)) {
    test(`export_meetings ${field}: is a 400 that names it, or has a harmless meaning`, () => {
      const columns = field === 'column' ? '' : ',"column":["name"]';
      return sendAll(
        inJson({ method: 'POST', path: exportPath, body: `{"${field}":VALUE${columns}}` }, { check }),
      );
    });
  }
  test('export_meetings column: a good column and a hostile one are a 400', () =>
    sendAll(
      inJson(
        { method: 'POST', path: exportPath, body: '{"column":["name",VALUE]}' },
        {
          check(reply, value) {
            // An empty item is ignored.
            if (value.json === '""') assert.equal(reply.status, 200);
            else if (!isUnreadable(reply, value)) namesField(reply, 'column');
          },
        },
      ),
    ));

  const bodies = [
    ['POST', '/api/v2/authenticate'],
    ['POST', `${base}/invite_user`],
    ['POST', `${base}/webhook`],
    ['PATCH', `${base}/webhook`],
    ['POST', `${base}/webhook/redeliver_failed`],
    ['POST', exportPath],
  ] as const;
  for (const [method, path] of bodies) {
    const name = path.replace(/.*\//, '');
    test(`${method} ${name}: a hostile value as the whole body is refused with a reason`, () =>
      sendAll(
        inJson(
          { method, path, body: 'VALUE' },
          {
            check(reply, { name, json }) {
              if (/10,000 deep/.test(name)) assert.match(reply.text, /nested deeper than 32 levels/);
              if (reply.status === 200) assert.ok(path === exportPath && json.startsWith('{'), json);
              else assert.match(reply.text, /[a-z]{4}/);
            },
          },
        ),
      ));
    test(`${method} ${name}: the raw text of a hostile value as the body is refused with a reason`, () =>
      sendAll({
        name,
        call: ({ text }) => ({ method, path, sent: { headers: json, body: text } }),
        check(reply, { text }) {
          if (reply.status === 200) assert.ok(path === exportPath && /^(\{|$)/.test(text), text);
          else assert.match(reply.text, /[a-z]{4}/);
        },
      }));
  }
});

testNoFailure();
