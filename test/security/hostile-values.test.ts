import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { anOrganization, aUser } from '@rollcall/core/testing';
import type { Sent } from '../support/http/client.js';
import type { Reply } from '../support/http/reply.js';
import { noLimits, type Site, startSite } from '../support/security/site.js';
import { databaseKinds } from '../support/storage.js';
import { type HostileValue, hostileValues } from './hostile-values.js';

/** Also part of the values that spell it in other ways. */
const organizationId = 1;
const base = `/api/v2/organizations/${organizationId}`;
/** With more than this, the head of the request is too large and is refused before it is read. */
const longestInHead = 12_000;
const longestBody = 102_400;
/** No error answer is longer than this. */
const longestMessage = 2000;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly sent?: Sent;
}

type ReadBack = (reply: Reply, value: HostileValue) => Promise<void>;

/** One place in a request for a value. */
interface Place {
  readonly name: string;
  call(value: HostileValue, number: number): Call | null;
  /** Checks the answer, after it has been checked against openapi.yaml. */
  check(reply: Reply, value: HostileValue): void;
  /** openapi.yaml and the core differ about these values, see the last test. */
  readonly leftOut?: readonly string[];
  /** Reads the accepted value again. */
  readBack?: ReadBack;
  /** Every third value from this one on: for places that differ from others only in their operation. */
  readonly third?: number | undefined;
}

let sites: readonly Site[] = [];
let token = '';

before(async () => {
  sites = await Promise.all(
    databaseKinds.map((database) =>
      startSite({ database, ports: { limits: noLimits }, settings: { failedAuthenticateLimit: 0 } }),
    ),
  );
  for (const { load, core } of sites) {
    await load({
      organizations: [anOrganization(organizationId, { eap: true })],
      users: [aUser(1)],
      memberships: [{ organizationId, userId: 1, role: 'member', idpId: 'idp-1' }],
    });
    const { accessKey } = await core.generateAccessKey({ organizationId });
    token = (await core.authenticate({ accessKey: accessKey.reveal(), address: 'a test' })).token.reveal();
  }
});
after(() => Promise.all(sites.map((site) => site.stop())));

/** Sends the same request to the service over every database; all must give the same answer. */
async function everywhere({ method, path, sent = {} }: Call): Promise<Reply> {
  const headers = { Authorization: `Bearer ${token}`, ...sent.headers };
  const replies = await Promise.all(
    sites.map(({ client }) => client.send(method, path, { ...sent, headers })),
  );
  const [first, ...others] = replies;
  assert.ok(first !== undefined);
  for (const other of others) assert.deepEqual(comparable(other), comparable(first));
  return first;
}

/** The answer without random values and counters. */
function comparable({ status, headers, text }: Reply): readonly unknown[] {
  const constant = text
    .replace(/whsec_[\w+/]{43}=/, 'whsec_')
    .replace(/"id":\d+,"url"/, '"id":0,"url"')
    .replace(/"otl_url":"[^"]*"/, '"otl_url":""');
  return [status, headers['x-error-code'], constant];
}

async function sendAll(place: Place): Promise<void> {
  const { third } = place;
  for (const [number, value] of hostileValues.entries()) {
    if (third !== undefined && (number - third) % 3 !== 0) continue;
    const call = place.leftOut?.includes(value.name) === true ? null : place.call(value, number);
    if (call === null) continue;
    try {
      const reply = await everywhere(call);
      assert.ok(reply.status < 500);
      if (reply.status >= 400) assert.ok(reply.text.length <= longestMessage, 'a long message');
      place.check(reply, value);
      if (reply.status === 200) await place.readBack?.(reply, value);
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`${place.name}, ${value.name}: ${message}`, { cause: error });
    }
  }
}

// ── What may be answered ───────────────────────────────────────────────────────────────────────────────────

const outcomeOf = ({ status, headers, json }: Reply) => [
  status,
  headers['x-error-code'] ?? null,
  json.error ?? null,
];

/** A body that cannot be read, or is too large, is refused before any of its fields is read. */
function isUnreadable({ status, headers }: Reply, { encoded }: HostileValue): boolean {
  const code = headers['x-error-code'];
  if (code === 'body-too-large') return status === 413 && encoded.length > longestBody / 3;
  return code === 'malformed-body' && status === 400;
}

/** The message begins with the name of the field, and says what is allowed there. */
function namesField(reply: Reply, field: string): void {
  assert.deepEqual([reply.status, reply.headers['x-error-code']], [400, 'invalid-request'], reply.text);
  const message = String(reply.json.error);
  assert.match(message, new RegExp(`^${field}:? (?:must (?:be|have|not) |is required$|".*" is not one of )`));
}

function refusedOrAccepted(field: string): Place['check'] {
  return (reply, value) => {
    if (reply.status === 200 || isUnreadable(reply, value)) return;
    namesField(reply, field);
  };
}

/** Whether the path can be decoded. */
function canDecode(encoded: string): boolean {
  try {
    return decodeURIComponent(encoded) !== undefined;
  } catch {
    return false;
  }
}

/** The token is checked first, also for a path that cannot be decoded. */
function inPath(
  path: (encoded: string) => string,
  method: string,
  outcome: readonly unknown[],
  broken: readonly unknown[] = [400, 'invalid-request', 'The path must be percent-encoded UTF-8'],
): Place {
  return {
    name: `${method} ${path(':value')}`,
    call: ({ encoded }) =>
      encoded.length > longestInHead ? null : { method, path: path(encoded.replaceAll('?', '%3F')) },
    check(reply, { encoded }) {
      const expected =
        encoded === '' ? [404, 'unknown-path', 'Not Found'] : canDecode(encoded) ? outcome : broken;
      assert.deepEqual(outcomeOf(reply), expected);
    },
  };
}

describe('Every hostile value in every path', () => {
  const uuid = '00000000-0000-4000-8000-000000000001';
  const notAuthorized = [401, 'not-authorized', 'Not Authorized'];
  const paths: readonly (readonly [method: string, path: string])[] = [
    ['POST', '/invite_user'],
    ['POST', `/users/${uuid}/generate_otl_url`],
    ['POST', `/users/${uuid}/one_time_login_link`],
    ['GET', '/members/idp-1/upcoming_meetings'],
    ['GET', '/webhook'],
    ['POST', '/webhook'],
    ['PATCH', '/webhook'],
    ['GET', '/export_meetings'],
    ['POST', '/export_meetings'],
  ];
  for (const [index, [method, rest]] of paths.entries()) {
    const any = inPath(
      (encoded) => `/api/v2/organizations/${encoded}${rest}`,
      method,
      notAuthorized,
      notAuthorized,
    );
    const place = { ...any, leftOut: ['one'], third: index === 0 ? undefined : index % 3 };
    test(`${method} ${rest}: another spelling of the organization’s number is 401 Not Authorized`, () =>
      sendAll(place));
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

  test('upcoming_meetings: an unknown idp_id is 404', () =>
    sendAll(
      inPath((encoded) => `${base}/members/${encoded}/upcoming_meetings`, 'GET', [
        404,
        'member-not-found',
        'User not found on Service',
      ]),
    ));
});

// ── Queries ────────────────────────────────────────────────────────────────────────────────────────────────

function inQuery(path: string, parameter: string, check: Place['check']): Place {
  return {
    name: `GET ${path}?${parameter}=`,
    call({ encoded }) {
      // These separate the parts of a query; escaped, they are part of the value.
      const value = encoded.replaceAll('&', '%26').replaceAll('#', '%23');
      return value.length > longestInHead
        ? null
        : {
            method: 'GET',
            path: `${base}${path}${path.includes('?') ? '&' : '?'}${parameter}=${value}`,
          };
    },
    check,
  };
}

/** Numbers are never refused (decision 8). */
const always200: Place['check'] = (reply) => assert.equal(reply.status, 200, reply.text);

/** Accepted only if it counts as left out: no hostile value is allowed. */
function refusedUnlessEmpty(field: string): Place['check'] {
  return (reply, value) => {
    if (reply.status === 200) assert.ok(['', 'null', '""'].includes(value.json) || value.text === '');
    else if (!isUnreadable(reply, value)) namesField(reply, field);
  };
}

describe('Every hostile value in every query', () => {
  for (const parameter of ['page', 'items']) {
    test(`upcoming_meetings ${parameter}: is clamped or the default, never refused`, () =>
      sendAll(inQuery('/members/idp-1/upcoming_meetings', parameter, always200)));
  }
  for (const parameter of ['page', 'per_page']) {
    test(`export_meetings ${parameter}: is clamped or the default, never refused`, () =>
      sendAll(inQuery('/export_meetings?column=name', parameter, always200)));
  }
  for (const parameter of ['column[]', 'column', 'column[0]']) {
    test(`export_meetings ${parameter}: an unknown column is a 400 that names column`, () =>
      sendAll({
        ...inQuery('/export_meetings', parameter, queryRefusal('column')),
        third: parameter === 'column[]' ? undefined : 1,
      }));
  }
  for (const parameter of ['reporting_days', 'report_type']) {
    test(`export_meetings ${parameter}: is a 400 that names it`, () =>
      sendAll(inQuery('/export_meetings?column=name', parameter, queryRefusal(parameter))));
  }
  for (const parameter of ['start_time', 'end_time', 'time_zone']) {
    test(`export_meetings ${parameter}: is accepted, or a 400 that names it`, () =>
      sendAll(inQuery('/export_meetings?column=name', parameter, refusedOrAccepted(parameter))));
  }
  test('a hostile name of a parameter is ignored', () =>
    sendAll({
      name: 'GET export_meetings?:value=1',
      call: ({ encoded }) =>
        encoded.length > longestInHead
          ? null
          : {
              method: 'GET',
              path: `${base}/export_meetings?${encoded.replaceAll('#', '%23')}=1&column=name`,
            },
      check: always200,
    }));
});

function queryRefusal(field: string): Place['check'] {
  return (reply, value) => {
    if (reply.status === 200) assert.equal(value.encoded, '');
    else namesField(reply, field);
  };
}

// ── JSON ───────────────────────────────────────────────────────────────────────────────────────────────────

const json = { 'Content-Type': 'application/json' };

function inJson(
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: string },
  rest: Pick<Place, 'check' | 'readBack' | 'leftOut' | 'third'>,
): Place {
  return {
    name: `${method} ${path} ${body}`,
    call: (value, number) => ({
      method,
      path,
      sent: { headers: json, body: filled(body, value.json, number) },
    }),
    ...rest,
  };
}

/** Every call has its own address, so that it does not get the invitation of another value. */
function filled(body: string, value: string, number: number): string {
  lastAddress += 1;
  return body.replace('VALUE', () => value).replace('NUMBER', `${number}-${lastAddress}`);
}
let lastAddress = 0;

function parsed({ json }: HostileValue): unknown {
  return JSON.parse(json);
}

type Person = Readonly<Record<'email' | 'first_name' | 'last_name', string>>;

/** The names are stored as sent: inviting again with other names shows them. */
function invitedAgain(field: keyof Person, sentText: (value: HostileValue) => unknown): ReadBack {
  return async (reply, value) => {
    const sent = String(sentText(value));
    const { user } = reply.json as { readonly user: Person };
    assert.doesNotMatch(sent, /\p{Cc}/u);
    assert.equal(user[field], field === 'email' ? sent.trim().toLowerCase() : sent);
    const again = { email: user.email, first_name: 'Other', last_name: 'Name' };
    const second = await everywhere({ method: 'POST', path: `${base}/invite_user`, sent: { json: again } });
    assert.deepEqual(second.json, reply.json);
  };
}

const otherFields: Person = {
  email: 'hostile-NUMBER@example.test',
  first_name: 'Dana',
  last_name: 'Kim',
};
const personFields = ['email', 'first_name', 'last_name'] as const;

describe('Every hostile value in every JSON body', () => {
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
          { check: refusedOrAccepted(field), readBack: invitedAgain(field, parsed) },
        ),
      );
    });
  }

  for (const method of ['POST', 'PATCH']) {
    const path = `${base}/webhook`;
    const third = method === 'PATCH' ? 0 : undefined;
    const refusal =
      (field: string): Place['check'] =>
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
              third,
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
            third,
            check(reply, value) {
              assert.notEqual(reply.status, 200);
              refusal('webhook.events')(reply, value);
            },
          },
        ),
      ));
  }

  const exportPath = `${base}/export_meetings`;
  const exportChecks: Readonly<Record<string, Place['check']>> = {
    column: (reply, value) => {
      if (reply.status === 200) assert.ok(['', 'null', '[]', '""'].includes(value.json), value.json);
      else if (!isUnreadable(reply, value)) namesField(reply, 'column');
    },
    reporting_days: refusedUnlessEmpty('reporting_days'),
    report_type: refusedUnlessEmpty('report_type'),
    start_time: refusedOrAccepted('start_time'),
    end_time: refusedOrAccepted('end_time'),
    time_zone: refusedOrAccepted('time_zone'),
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
        third: path.endsWith('/authenticate') ? undefined : 2,
        call: ({ text }) => ({ method, path, sent: { headers: json, body: text } }),
        check(reply, { text }) {
          if (reply.status === 200) assert.ok(path === exportPath && /^(\{|$)/.test(text), text);
          else assert.match(reply.text, /[a-z]{4}/);
        },
      }));
  }
});

// ── Forms ──────────────────────────────────────────────────────────────────────────────────────────────────

const edge = 'an-edge-of-the-tests';

function urlencoded(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, encoded]) => `${name}=${encoded}`)
    .join('&');
}

function multipart(fields: Readonly<Record<string, string>>): string {
  const parts = Object.entries(fields).map(
    ([name, text]) => `--${edge}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  );
  return `${parts.join('')}--${edge}--\r\n`;
}

describe('Every hostile value in every form of the API', () => {
  const path = `${base}/invite_user`;
  for (const field of personFields) {
    test(`urlencoded ${field}: is stored as it is, or refused by its name`, () =>
      sendAll({
        name: field,
        call({ encoded }, number) {
          const value = encoded.replaceAll('&', '%26');
          return {
            method: 'POST',
            path,
            sent: {
              headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
              body: filled(urlencoded({ ...otherFields, [field]: 'VALUE' }), value, number),
            },
          };
        },
        check: refusedOrAccepted(field),
        readBack: invitedAgain(field, ({ encoded }) => decodeURIComponent(encoded.replaceAll('+', ' '))),
      }));

    test(`multipart ${field}: is stored as it is, or refused by its name`, () =>
      sendAll({
        name: field,
        call: ({ text }, number) => ({
          method: 'POST',
          path,
          sent: {
            headers: { 'Content-Type': `multipart/form-data; boundary=${edge}` },
            body: filled(multipart({ ...otherFields, [field]: 'VALUE' }), text, number),
          },
        }),
        check: refusedOrAccepted(field),
        // Halves of surrogate pairs have no bytes of their own.
        readBack: invitedAgain(field, ({ text }) => Buffer.from(text).toString()),
      }));

    for (const [index, charset] of ['utf-16le', 'latin1', 'x-unknown'].entries()) {
      test(`multipart ${field} in ${charset}: is stored as a form could send it, or refused`, () =>
        sendAll({
          name: field,
          third: index,
          call: ({ text }, number) => ({
            method: 'POST',
            path,
            sent: {
              headers: { 'Content-Type': `multipart/form-data; boundary=${edge}` },
              body: filled(
                multipart({ ...otherFields, [field]: 'VALUE' }).replace(
                  `name="${field}"\r\n`,
                  `name="${field}"\r\nContent-Type: text/plain; charset=${charset}\r\n`,
                ),
                text,
                number,
              ),
            },
          }),
          check: refusedOrAccepted(field),
        }));
    }
  }

  test('a hostile name of a field is ignored', () =>
    sendAll({
      name: 'a name',
      call: ({ encoded }, number) => ({
        method: 'POST',
        path,
        sent: {
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: filled(`${urlencoded({ ...otherFields })}&VALUE=1`, encoded, number),
        },
      }),
      check(reply, value) {
        if (!isUnreadable(reply, value)) assert.equal(reply.status, 200, reply.text);
      },
    }));
});

// ── Headers ────────────────────────────────────────────────────────────────────────────────────────────────

describe('Every hostile value in every header', () => {
  const readWebhook: Call = { method: 'GET', path: `${base}/webhook` };
  const ignored = [
    ...['Accept', 'Accept-Language', 'Accept-Encoding', 'Accept-Charset', 'Cookie', 'Origin', 'Referer'],
    ...[
      'User-Agent',
      'X-Request-Id',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'Forwarded',
    ],
    ...['X-HTTP-Method-Override', 'X-Original-URL', 'X-Rewrite-URL', 'Range', 'If-None-Match'],
    ...['If-Modified-Since', 'Expect', 'Sec-Fetch-Site', 'Content-Type', 'Content-Encoding', 'Upgrade'],
  ];

  /** The bytes that Node’s client sends; the test of line breaks covers the others. */
  function inHeader(name: string, call: Call, check: Place['check']): Place {
    return {
      name,
      call({ text }) {
        const bytes = Buffer.from(text).toString('latin1');
        // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that a header must not contain
        if (bytes.length > longestInHead || /[\0-\x08\n-\x1f\x7f]/.test(bytes)) return null;
        return { ...call, sent: { ...call.sent, headers: { ...call.sent?.headers, [name]: bytes } } };
      },
      check,
    };
  }

  test('ignored headers change nothing, even if all of them are hostile at once', async () => {
    const plain = await everywhere(readWebhook);
    await sendAll({
      name: 'every header',
      call(value) {
        const bytes = inHeader('', readWebhook, always200).call(value, 0)?.sent?.headers?.[''];
        if (bytes === undefined || Buffer.byteLength(String(bytes)) > longestInHead / ignored.length)
          return null;
        const headers = Object.fromEntries(ignored.map((name) => [name, bytes]));
        return { ...readWebhook, sent: { headers } };
      },
      check: (reply) => assert.deepEqual(comparable(reply), comparable(plain)),
    });
  });

  test('Host: is refused or ignored', async () => {
    const plain = await everywhere(readWebhook);
    await sendAll(
      inHeader('Host', readWebhook, (reply) => {
        if (reply.status === 400) assert.match(reply.json.error, /^The Host header must be/);
        else assert.deepEqual(comparable(reply), comparable(plain));
      }),
    );
  });

  test('Authorization: is 401 Unauthorized Access', () =>
    sendAll(
      inHeader('Authorization', readWebhook, (reply) =>
        assert.deepEqual(outcomeOf(reply), [401, 'unauthorized-access', 'Unauthorized Access']),
      ),
    ));

  test('Authorization after Bearer: is 401 Unauthorized Access', () =>
    sendAll({
      ...inHeader('Authorization', readWebhook, (reply) =>
        assert.deepEqual(outcomeOf(reply), [401, 'unauthorized-access', 'Unauthorized Access']),
      ),
      call({ text, encoded }) {
        const value = /^[\x20-\x7e]*$/.test(text) ? text : encoded;
        return value.length > longestInHead
          ? null
          : { ...readWebhook, sent: { headers: { Authorization: `Bearer ${value}` } } };
      },
    }));

  for (const name of ['Content-Type', 'Content-Encoding']) {
    test(`${name} with a body: is 415 or ignored`, () => {
      const call = {
        method: 'POST',
        path: `${base}/export_meetings`,
        sent: { headers: json, body: '{"column":[]}' },
      };
      return sendAll(
        inHeader(name, call, (reply) => assert.ok([200, 415].includes(reply.status), reply.text)),
      );
    });
  }
});

describe('What openapi.yaml and the core must agree on', () => {
  test('an international address is answered as openapi.yaml describes it', () =>
    everywhere({
      method: 'POST',
      path: `${base}/invite_user`,
      sent: { json: { email: 'ülf@exämple.test', first_name: 'Ülf', last_name: 'Kim' } },
    }).then(({ status }) => assert.equal(status, 200)));

  test('a webhook URL in capitals is answered as openapi.yaml describes it', () =>
    everywhere({
      method: 'POST',
      path: `${base}/webhook`,
      sent: { json: { webhook: { url: 'HTTPS://EXAMPLE.TEST/Hook', enabled: false } } },
    }).then(({ status }) => assert.equal(status, 200)));
});

test('afterwards the service still answers, and there was no unexpected failure', async () => {
  const reply = await everywhere({
    method: 'POST',
    path: `${base}/invite_user`,
    sent: { json: { email: 'dana@northwind.test', first_name: 'Dana', last_name: 'Kim' } },
  });
  assert.equal(reply.status, 200);
  assert.deepEqual(
    sites.map(({ reports }) => reports),
    sites.map(() => []),
  );
});
