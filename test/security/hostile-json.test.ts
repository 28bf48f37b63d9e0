import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe } from 'node:test';
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

const { everywhere, testEach, testNoFailure } = useHostileApi();

const json = { 'Content-Type': 'application/json' };

/** Adds a test with the value in the place of VALUE. */
function testJson(
  name: string,
  [method, path, body]: readonly [method: string, path: string, body: string],
  check: Target['check'],
  readBack?: ReadBack,
): void {
  testEach(name, {
    name: `${method} ${path} ${body}`,
    call: (value, number) => ({
      method,
      path,
      sent: { headers: json, body: fillBody(body, value.json, number) },
    }),
    check,
    ...(readBack && { readBack }),
  });
}

/** Accepted only if it counts as left out: no hostile value is allowed. */
function refusedUnlessEmpty(field: string): Target['check'] {
  return ifRead((reply, value) => {
    if (reply.status === 200) assert.ok(['', 'null', '""'].includes(value.json) || value.text === '');
    else namesField(reply, field);
  });
}

/** A body that cannot be read has its own refusal. */
function ifRead(check: Target['check']): Target['check'] {
  return (reply, value) => {
    if (!isUnreadable(reply, value)) check(reply, value);
  };
}

function parsed({ json }: HostileValue): unknown {
  return JSON.parse(json);
}

describe('Hostile values in every JSON body', () => {
  testJson(
    'authenticate: is 401 Invalid Access Key',
    ['POST', '/api/v2/authenticate', '{"access_key":VALUE}'],
    ifRead((reply) => assert.deepEqual(outcomeOf(reply), [401, 'invalid-access-key', 'Invalid Access Key'])),
  );

  for (const field of personFields) {
    const body = JSON.stringify({ ...otherFields, [field]: 'VALUE' }).replace('"VALUE"', 'VALUE');
    testJson(
      `invite_user ${field}: is stored as it is, or a 400 that names it`,
      ['POST', `${base}/invite_user`, body],
      refusedOrAccepted(field),
      invitedAgain({ everywhere, field, sentText: parsed }),
    );
  }

  const user = `${base}/users/${testUuid(1)}`;
  testJson(
    'PATCH users/:uuid idp_id: is stored as it is, or a 400 that names it',
    ['PATCH', user, '{"user":{"idp_id":VALUE}}'],
    refusedOrAccepted('(?:user\\.)?idp_id'),
    async (reply, value) => {
      assert.equal(reply.json.user.idp_id, parsed(value));
      const again = await everywhere({ method: 'GET', path: user });
      assert.deepEqual(again.json, reply.json);
    },
  );

  const lists = [
    '{"users":VALUE}',
    '{"users":[VALUE]}',
    ...['email', 'first_name', 'last_name', 'idp_id'].map(
      (field) => `{"users":[{"email":"a@b.test","first_name":"A","last_name":"B","${field}":VALUE}]}`,
    ),
  ];
  for (const body of lists)
    testJson(
      `invite_users ${body}: is stored, or refused with a reason`,
      ['POST', `${base}/invite_users`, body],
      ifRead((reply) => {
        if (reply.status !== 200) return namesField(reply, 'users');
        for (const { error } of reply.json.results) assert.match(error ?? 'none', /[a-z]{4}/);
      }),
    );

  for (const field of ['first_name', 'last_name', 'idp_id'])
    testJson(
      `renewing an unknown invitation with it as ${field}: is a 404, or a 400 that names it`,
      ['POST', `${base}/invitations/${testUuid(1)}/renew`, `{"${field}":VALUE}`],
      ifRead((reply) => {
        if (reply.status !== 404) namesField(reply, field);
      }),
    );

  for (const method of ['POST', 'PATCH']) {
    const path = `${base}/webhook`;
    const refusal = (field: string): Target['check'] =>
      ifRead((reply) => {
        if (reply.status === 200) return;
        assert.deepEqual([reply.status, reply.headers['x-error-code']], [422, 'invalid-webhook']);
        const [first = ''] = reply.json.errors as readonly string[];
        assert.match(first, new RegExp(`^${field}\\S* (?:must|is required|holds)`));
      });
    const fields = {
      webhook: '{"webhook":VALUE}',
      'webhook.url': '{"webhook":{"enabled":true,"events":["user.registered"],"url":VALUE}}',
      'webhook.enabled': '{"webhook":{"enabled":VALUE,"url":"https://a.test","events":["user.registered"]}}',
      'webhook.events': '{"webhook":{"enabled":true,"url":"https://a.test","events":VALUE}}',
      regenerate_secret: '{"webhook":{"enabled":false},"regenerate_secret":VALUE}',
    };
    for (const [field, body] of Object.entries(fields))
      testJson(
        `${method} webhook ${field}: is stored as it is, or a 422 that names it`,
        [method, path, body],
        refusal(field),
        async (reply, value) => {
          if (field === 'webhook.url') assert.equal(reply.json.webhook.url, parsed(value) ?? '');
          if (field === 'webhook.enabled') assert.equal(reply.json.webhook.enabled, parsed(value));
          const { json: read } = await everywhere({ method: 'GET', path });
          assert.deepEqual(read.webhook, { ...reply.json.webhook, secret: 'whsec_********' });
        },
      );
    testJson(
      `${method} webhook.events: a good event and a hostile one are a 422`,
      [
        method,
        path,
        '{"webhook":{"enabled":true,"url":"https://a.test","events":["user.registered",VALUE]}}',
      ],
      (reply, value) => {
        assert.notEqual(reply.status, 200);
        refusal('webhook.events')(reply, value);
      },
    );
  }

  testJson(
    'redeliver_failed since: is a time, or a 400 that names it',
    ['POST', `${base}/webhook/redeliver_failed`, '{"since":VALUE}'],
    ifRead((reply, value) => {
      if (reply.status === 202) assert.match(String(parsed(value)), /^\d{4}-.*T.*Z$/);
      else namesField(reply, 'since');
    }),
  );

  const exportPath = `${base}/export_meetings`;
  const exportChecks: Readonly<Record<string, Target['check']>> = {
    column: ifRead((reply, value) => {
      if (reply.status === 200) assert.ok(['', 'null', '[]', '""'].includes(value.json), value.json);
      else namesField(reply, 'column');
    }),
    reporting_days: refusedUnlessEmpty('reporting_days'),
    report_type: refusedUnlessEmpty('report_type'),
    start_time: refusedOrAccepted('start_time'),
    end_time: refusedOrAccepted('end_time'),
    time_zone: refusedOrAccepted('time_zone'),
    updated_since: (reply, value) => {
      if (value.json !== '"2026-11-20T18:00:00Z"') refusedUnlessEmpty('updated_since')(reply, value);
      else assert.equal(reply.status, 200);
    },
    page: ifRead(always200),
    per_page: ifRead(always200),
  };
  for (const [field, check] of Object.entries(exportChecks)) {
    const columns = field === 'column' ? '' : ',"column":["name"]';
    testJson(
      `export_meetings ${field}: is a 400 that names it, or has a harmless meaning`,
      ['POST', exportPath, `{"${field}":VALUE${columns}}`],
      check,
    );
  }
  testJson(
    'export_meetings column: a good column and a hostile one are a 400',
    ['POST', exportPath, '{"column":["name",VALUE]}'],
    ifRead((reply, value) => {
      // An empty item is ignored.
      if (value.json === '""') assert.equal(reply.status, 200);
      else namesField(reply, 'column');
    }),
  );

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
    testJson(
      `${method} ${name}: a hostile value as the whole body is refused with a reason`,
      [method, path, 'VALUE'],
      (reply, { name, json }) => {
        if (/10,000 deep/.test(name)) assert.match(reply.text, /nested deeper than 32 levels/);
        if (reply.status === 200) assert.ok(path === exportPath && json.startsWith('{'), json);
        else assert.match(reply.text, /[a-z]{4}/);
      },
    );
    testEach(`${method} ${name}: the raw text of a hostile value as the body is refused with a reason`, {
      name,
      call: ({ text }) => ({ method, path, sent: { headers: json, body: text } }),
      check(reply, { text }) {
        if (reply.status === 200) assert.ok(path === exportPath && /^(\{|$)/.test(text), text);
        else assert.match(reply.text, /[a-z]{4}/);
      },
    });
  }
});

testNoFailure();
