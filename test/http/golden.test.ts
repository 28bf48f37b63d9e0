import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { aMeeting, anOrganization, aUser, type Dataset, type DatasetMeeting } from '@rollcall/core/testing';
import type { Sent } from '../support/http/client.js';
import { startFor } from '../support/http/raw.js';
import type { Json } from '../support/http/reply.js';
import type { HttpService, StartHttpService, TestOrganization } from '../support/http/service.js';
import { webhookAt } from '../support/webhook-at.js';
import { wrongKeyLimit } from '../support/wrong-key-limit.js';

/** A request and its response in `contracts/examples`. `<NAME>` stands for a value that differs from run to run. */
interface Example {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

const folder = fileURLToPath(new URL('../../../contracts/examples/', import.meta.url));
const at = (text: string): Date => new Date(text);

function optionsFor(name: string): StartHttpService {
  if (name === 'too many wrong access keys') return { settings: wrongKeyLimit(1) };
  return name === 'the database is unavailable'
    ? {
        app: {
          ready: async () => [
            { name: 'database', state: 'failed' },
            { name: 'migrations', state: 'unknown' },
          ],
        },
      }
    : {};
}

interface ExampleId {
  readonly operation: string;
  readonly name: string;
}

type Values = Readonly<Record<string, string>>;

/** Prepares the initial state of the example. Returns the values of its placeholders. */
async function prepare(service: HttpService, { operation, name }: ExampleId): Promise<Values> {
  await service.load(dataset(name === 'one page' ? 5 : 2));
  const own = await service.signIn(1);
  const other = await service.signIn(2);
  await prepareWebhook(own, { operation, name });
  if (name.startsWith('the same user again')) await own.post('/invite_user', dana);
  if (name === 'an unexpected failure') {
    service.replace('meetings', { export: () => Promise.reject(new Error('the disk is gone')) });
  }
  if (name === 'too many wrong access keys') {
    const wrong = { json: { access_key: '000000000000000000000000' } };
    for (let count = 0; count < 2; count += 1)
      await service.client.send('POST', '/api/v2/authenticate', wrong);
  }
  const invited = await own.post('/invite_user', { ...dana, email: 'invited@northwind.test' });
  return {
    ACCESS_KEY: own.accessKey,
    TOKEN: own.token,
    TOKEN_OF_ANOTHER_ORGANIZATION: other.token,
    UUID: aUser(100).uuid,
    UUID_OF_INVITED_USER: invited.json.user.id,
    EMAIL_OF_MEMBER: aUser(100).email,
  };
}

const dana = { email: 'dana@northwind.test', first_name: 'Dana', last_name: 'Kim' };

async function prepareWebhook(own: TestOrganization, { operation, name }: ExampleId): Promise<void> {
  const isStored = ['a stored webhook', 'a later call', 'rotating'].some((beginning) =>
    name.startsWith(beginning),
  );
  if (!isStored && operation !== 'change-webhook') return;
  const url = 'https://hooks.northwind.test/rollcall';
  await own.post('/webhook', { webhook: webhookAt(url) });
  if (name === 'switching on again') await own.patch('/webhook', { webhook: { enabled: false } });
}

function dataset(pastMeetings: number): Dataset {
  const attendees = Array.from({ length: 8 }, (_, index) => aUser(200 + index));
  return {
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(99), aUser(100, { firstName: 'Dana', lastName: 'Kim' }), aUser(101), ...attendees],
    memberships: [
      { organizationId: 1, userId: 99, role: 'member', idpId: 'idp-0' },
      { organizationId: 1, userId: 100, role: 'member', idpId: null },
      { organizationId: 1, userId: 101, role: 'member', idpId: 'idp-1' },
    ],
    meetings: [...upcoming, ...past.slice(0, pastMeetings)],
    registrations: [
      ...[99, ...attendees.slice(0, 6).map(({ id }) => id)].map((userId) => ({ meetingId: 1, userId })),
      ...attendees.map(({ id }) => ({ meetingId: 2, userId: id })),
    ].map((registration) => ({ ...registration, registeredAt: at('2026-11-01T10:00:00.000Z') })),
    waitingPlaces: [
      { meetingId: 2, userId: 99, status: 'waiting', createdAt: at('2026-11-02T10:00:00.000Z') },
    ],
  };
}

const upcoming: readonly DatasetMeeting[] = [
  aMeeting(1, {
    name: 'Grief circle',
    topic: 'Grief',
    location: 'zoom',
    maxAttendees: 12,
    groupLeaderId: 100,
  }),
  aMeeting(2, {
    name: 'Sleep and rest',
    topic: 'Sleep',
    description: 'An open evening about sleeping well.',
    location: 'service',
    maxAttendees: 8,
    waitList: true,
    startTime: at('2026-11-21T09:00:00.000Z'),
    endTime: at('2026-11-21T10:30:00.000Z'),
  }),
];

const past: readonly DatasetMeeting[] = [
  ['Grief circle', '2026-10-20T18:00:00.000Z', 100] as const,
  ['Sleep and rest', '2026-10-21T09:00:00.000Z', null] as const,
  ['Third', '2026-10-22T09:00:00.000Z', null] as const,
  ['Fourth', '2026-10-23T09:00:00.000Z', null] as const,
  ['Fifth', '2026-10-24T09:00:00.000Z', null] as const,
].map(([name, start, groupLeaderId], index) =>
  aMeeting(11 + index, { name, startTime: at(start), status: 'complete', groupLeaderId }),
);

/** Replaces every `<NAME>` in the strings of a value. */
function fill(value: unknown, values: Values): unknown {
  return JSON.parse(
    JSON.stringify(value).replaceAll(/<([A-Z_]+)>/g, (_, name) => values[name] ?? assert.fail(`<${name}>`)),
  );
}

function sentBody(body: unknown): Sent {
  if (body === null) return {};
  return typeof body === 'string' ? { body } : { json: body };
}

/** The part of the body that is compared. The example of the OpenAPI document shows only the beginning. */
function comparedPart(operation: string, body: Json): Json {
  if (operation !== 'read-openapi') return body;
  const { openapi, info, servers, paths } = body;
  return { openapi, info, servers, paths };
}

/** Compares values and the order of keys. A placeholder matches any value, and an error message any text. */
function compare(expected: unknown, actual: unknown, path: string): void {
  if (typeof expected === 'string' && /^<[A-Z_]+>$/.test(expected)) assert.ok(actual !== undefined, path);
  else if (typeof expected !== 'object' || expected === null) comparePlain(expected, actual, path);
  else compareObject(expected, actual, path);
}

function compareObject(expected: object, actual: unknown, path: string): void {
  assert.ok(typeof actual === 'object' && actual !== null, path);
  assert.deepEqual(Object.keys(actual), Object.keys(expected), path);
  for (const [name, value] of Object.entries(expected)) {
    compare(value, (actual as Readonly<Record<string, unknown>>)[name], `${path}.${name}`);
  }
}

/** Error messages that the specification fixes. The others may change. */
const fixedTexts = /^(Invalid Access Key|Unauthorized Access|Not Authorized|User not found.*)$/;

function comparePlain(expected: unknown, actual: unknown, path: string): void {
  if (path !== 'body.error' || fixedTexts.test(String(expected))) assert.equal(actual, expected, path);
  else assert.equal(typeof actual, 'string', path);
}

/** Sends the requests of the golden examples, and compares the responses, except for values that differ from run to run. */
const operations = readdirSync(folder)
  .filter((name) => name.endsWith('.http.json'))
  .map((name) => name.replace('.http.json', ''));
for (const operation of operations) {
  const file = `${operation}.http.json`;
  const examples = JSON.parse(readFileSync(`${folder}${file}`, 'utf8')) as readonly Example[];
  describe(`contracts/examples: ${operation}`, () => {
    for (const example of examples) {
      test(example.name, async (t) => {
        const service = await startFor(t, optionsFor(example.name));
        const values = await prepare(service, { operation, name: example.name });
        const { method, path, headers, body } = fill(example.request, values) as Example['request'];
        const reply = await service.client.send(method, path, { headers, ...sentBody(body) });
        assert.equal(reply.status, example.response.status, reply.text);
        compare(example.response.body, comparedPart(operation, reply.json), 'body');
        for (const [name, value] of Object.entries(example.response.headers)) {
          compare(value, reply.headers[name.toLowerCase()], name);
        }
      });
    }
  });
}
