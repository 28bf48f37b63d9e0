import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { anOrganization, aUser } from '@rollcall/core/testing';
import type { Sent } from '../http/client.js';
import type { Reply } from '../http/reply.js';
import { databaseKinds } from '../storage.js';
import { wrongKeyLimit } from '../wrong-key-limit.js';
import { type HostileValue, isExhaustive, valuesForNextPlace } from './hostile-values.js';
import { noLimits, type Site, startSite } from './site.js';

/** Some hostile values are other spellings of this number. */
const organizationId = 1;
export const base = `/api/v2/organizations/${organizationId}`;
const MAX_BODY_BYTES = 102_400;
/** No error answer is longer than this. */
const MAX_MESSAGE_LENGTH = 2000;

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly sent?: Sent;
}

export type ReadBack = (reply: Reply, value: HostileValue) => Promise<void>;

/** The part of a request in which hostile values are sent, and the check of the answers. */
export interface Target {
  readonly name: string;
  /** The call with this value, or null if it cannot be sent. */
  call(value: HostileValue, number: number): Call | null;
  /** Checks the answer, after it has been checked against openapi.yaml. */
  check(reply: Reply, value: HostileValue): void;
  /** The names of values that are valid here. */
  readonly excluded?: readonly string[];
  /** Reads the accepted value again. */
  readBack?: ReadBack;
}

/**
 * A service over PostgreSQL, which refuses more values than the others, or services over every database, to which the
 * tests of a file send the same requests.
 */
export function useHostileApi() {
  const databases = isExhaustive ? databaseKinds : (['postgres'] as const);
  let sites: readonly Site[] = [];
  let token = '';

  before(async () => {
    sites = await Promise.all(
      databases.map((database) =>
        startSite({ database, ports: { limits: noLimits }, settings: wrongKeyLimit(0) }),
      ),
    );
    for (const { load, signIn } of sites) {
      await load({
        organizations: [anOrganization(organizationId, { eap: true })],
        users: [aUser(1)],
        memberships: [{ organizationId, userId: 1, role: 'member', idpId: 'idp-1' }],
      });
      ({ token } = await signIn(organizationId));
    }
  });
  after(() => Promise.all(sites.map((site) => site.stop())));

  /** Sends the request to each service that its answer can depend on; all must give the same answer. */
  async function everywhere({ method, path, sent = {} }: Call): Promise<Reply> {
    const headers = { Authorization: `Bearer ${token}`, ...sent.headers };
    const [site, ...others] = sites;
    assert.ok(site !== undefined);
    const send = ({ client }: Site): Promise<Reply> => client.send(method, path, { ...sent, headers });
    const first = await send(site);
    if (isRefusedUnread(first)) return first;
    for (const other of await Promise.all(others.map(send)))
      assert.deepEqual(comparable(other), comparable(first));
    return first;
  }

  async function sendAll(target: Target): Promise<void> {
    for (const [number, value] of valuesForNextPlace().entries()) {
      const call = target.excluded?.includes(value.name) === true ? null : target.call(value, number);
      if (call === null) continue;
      try {
        const reply = await everywhere(call);
        assert.ok(reply.status < 500);
        if (reply.status >= 400) assert.ok(reply.text.length <= MAX_MESSAGE_LENGTH, 'a long message');
        target.check(reply, value);
        if (reply.status === 200) await target.readBack?.(reply, value);
      } catch (error) {
        const { message } = error as Error;
        throw new Error(`${target.name}, ${value.name}: ${message}`, { cause: error });
      }
    }
  }

  return {
    everywhere,
    /** Adds a test that sends the hostile values. */
    testEach: (name: string, target: Target) => void test(name, () => sendAll(target)),
    /** Adds a test: the services still answer, and there was no unexpected failure. Stands at the end of the file. */
    testNoFailure(): void {
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
    },
  };
}

/** The request was refused for its form, before any database was asked. */
function isRefusedUnread({ status, headers }: Reply): boolean {
  return [400, 413, 415, 422].includes(status) && headers['x-error-code'] !== 'user-not-found';
}

/** The answer without random values and counters. */
export function comparable({ status, headers, text }: Reply): readonly unknown[] {
  const constant = text
    .replace(/whsec_[\w+/]{43}=/, 'whsec_')
    .replace(/"id":\d+,"url"/, '"id":0,"url"')
    .replace(/"otl_url":"[^"]*"/, '"otl_url":""')
    .replaceAll(/"joined_at":"[^"]*"/g, '"joined_at":""')
    // The place of the last change has the time of the latest import.
    .replace(/("changes":\[\],"next":)"[^"]*"/, '$1""');
  return [status, headers['x-error-code'], constant];
}

export const outcomeOf = ({ status, headers, json }: Reply) => [
  status,
  headers['x-error-code'] ?? null,
  json.error ?? null,
];

/** A body that cannot be read, or is too large, is refused before any of its fields is read. */
export function isUnreadable({ status, headers }: Reply, { encoded }: HostileValue): boolean {
  const code = headers['x-error-code'];
  if (code === 'body-too-large') return status === 413 && encoded.length > MAX_BODY_BYTES / 3;
  return code === 'malformed-body' && status === 400;
}

/** The message begins with the name of the field, and says what is allowed there. */
export function namesField(reply: Reply, field: string): void {
  assert.deepEqual([reply.status, reply.headers['x-error-code']], [400, 'invalid-request'], reply.text);
  const message = String(reply.json.error);
  assert.match(message, new RegExp(`^${field}:? (?:must (?:be|have|not) |is required$|".*" is not one of )`));
}

/** The value is accepted, or refused with the name of its field. */
export function refusedOrAccepted(field: string): Target['check'] {
  return (reply, value) => {
    if (reply.status === 200 || isUnreadable(reply, value)) return;
    namesField(reply, field);
  };
}

/** Numbers are never refused (decision 8). */
export const always200: Target['check'] = (reply) => assert.equal(reply.status, 200, reply.text);
