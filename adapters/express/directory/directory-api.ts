import type { Core, ErrorTracker, Organization } from '@rollcall/core';
import { readAddress } from '@rollcall/core/adapters';
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import { writeEncoded, writeHead } from '../answer.js';
import { reportError } from '../answer-errors.js';
import { refuseUnread } from '../answer-limits.js';
import { bearerToken } from '../bearer.js';
import { readBody } from '../body.js';
import { ClientGone } from '../errors.js';
import { localsOf } from '../locals.js';
import { rawQuery } from '../raw-query.js';
import { DirectoryError, type DirectoryErrorAnswer, directoryErrorAnswer } from './directory-error.js';
import {
  createPerson,
  type DirectoryAnswer,
  type DirectoryCall,
  listPeople,
  patchPerson,
  readOne,
  removePerson,
  replacePerson,
} from './people.js';
import {
  DIRECTORY_BASE,
  DIRECTORY_TYPE,
  errorBody,
  listAnswer,
  resourceTypes,
  schemas,
  serviceProviderConfig,
} from './write-answers.js';

interface DirectoryOptions {
  readonly core: Core;
  readonly errorTracker: ErrorTracker;
  readonly publicUrl: string;
}

type Route = (call: DirectoryCall) => Promise<DirectoryAnswer> | DirectoryAnswer;

const body = {
  mediaTypes: new Set(['application/scim+json', 'application/json'] as const),
  maxBodyBytes: 102_400,
};

/** Each resource with the methods of all of them, and with those of one of them. HEAD works wherever GET does. */
const routes: ReadonlyMap<string, Readonly<Record<'all' | 'one', ReadonlyMap<string, Route>>>> = new Map([
  [
    'Users',
    {
      all: new Map<string, Route>([
        ['GET', listPeople],
        ['POST', createPerson],
      ]),
      one: new Map<string, Route>([
        ['GET', readOne],
        ['PUT', replacePerson],
        ['PATCH', patchPerson],
        ['DELETE', removePerson],
      ]),
    },
  ],
  ['Groups', { all: fixed(() => listOf([]), 'Listed groups: none are kept'), one: new Map() }],
  ['ServiceProviderConfig', { all: fixed(({ place }) => serviceProviderConfig(place)), one: new Map() }],
  ['ResourceTypes', { all: fixed(({ place }) => listOf(resourceTypes(place))), one: new Map() }],
  ['Schemas', { all: fixed(({ place }) => listOf(schemas(place))), one: new Map() }],
]);

function fixed(
  bodyOf: (call: DirectoryCall) => object,
  reason = 'Read what the directory can do',
): ReadonlyMap<string, Route> {
  return new Map([['GET', (call: DirectoryCall) => ({ status: 200, body: bodyOf(call), reason })]]);
}

function listOf(resources: readonly object[]): object {
  return listAnswer({ total: resources.length, startIndex: 1, resources });
}

/**
 * The directories of organizations over SCIM 2.0 (RFC 7644), for users only. Errors are SCIM errors. 404 is answered for an
 * unknown person only, because providers forget a person then.
 */
export function createDirectoryApi(options: DirectoryOptions): Router {
  const router = express.Router({ caseSensitive: true, strict: false });
  const recordWrongToken = wrongTokenRecorder(options.core);
  router.all('/:organization{/:resource}{/:id}', (request, response) =>
    answer({ ...options, recordWrongToken }, request, response),
  );
  router.use(() => {
    throw notImplemented();
  });
  return router;
}

async function answer(
  {
    core,
    errorTracker,
    publicUrl,
    recordWrongToken,
  }: DirectoryOptions & { readonly recordWrongToken: RecordWrongToken },
  request: Request,
  response: Response,
): Promise<void> {
  const { organization: number = '', resource = '', id = '' } = request.params as Record<string, string>;
  const isKnown = routes.has(resource);
  const locals = localsOf(response);
  locals.route = `${DIRECTORY_BASE}/:organization${isKnown ? `/${resource}` : ''}${id === '' ? '' : '/:id'}`;
  const from = request.ip ?? '';
  const token = bearerToken(request);
  let organization: Organization | null = null;
  try {
    organization = await core.authorizeDirectory({ token, organizationId: number, address: from });
    locals.organization = organization;
    refuseUnread(response);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = routes.get(resource)?.[id === '' ? 'all' : 'one'].get(method);
    if (route === undefined) throw notImplemented();
    const place = { publicUrl, organizationId: organization.id };
    const query = new URLSearchParams(rawQuery(request.url));
    const call = {
      ...{ core, organization, place, query, id },
      from: readAddress(from) ?? from,
      body: () => readBody(request, body),
    };
    const answered = await route(call);
    await record(core, organization, request, answered);
    write(response, answered.status, answered.body, answered.headers);
  } catch (error) {
    if (error instanceof ClientGone || response.destroyed) return;
    report(errorTracker, error, response);
    const refused = directoryErrorAnswer(error);
    if (organization !== null) await recordError(core, organization, request, { refused, id });
    else if (refused.status === 401 && token !== null) await recordWrongToken(number, request, refused);
    writeError(response, refused);
  }
}

/** Answers errors of requests that reach no directory. */
export function answerDirectoryErrors(errorTracker: ErrorTracker): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    if (error instanceof ClientGone || response.destroyed) return;
    report(errorTracker, error, response);
    if (response.headersSent) response.destroy();
    else writeError(response, directoryErrorAnswer(error));
  };
}

/** What a request did wrong is no error of ours. */
function report(errorTracker: ErrorTracker, error: unknown, response: Response): void {
  if (!(error instanceof DirectoryError)) reportError(errorTracker, error, response);
}

function notImplemented(): DirectoryError {
  return new DirectoryError(501, null, 'Only users can be kept here, one in each request');
}

/** The list for owners is no reason to fail a request. */
async function record(
  core: Core,
  organization: Pick<Organization, 'id'>,
  { method }: Request,
  { status, reason, uuid }: Pick<DirectoryAnswer, 'status' | 'reason' | 'uuid'>,
): Promise<void> {
  const recorded = { organization, method, status, reason, uuid: uuid ?? null };
  await core.recordDirectoryRequest(recorded).catch(() => {});
}

/** A database that is away, and a provider that asks too often, are not asked to store that. */
async function recordError(
  core: Core,
  organization: Organization,
  request: Request,
  { refused, id }: { readonly refused: DirectoryErrorAnswer; readonly id: string },
): Promise<void> {
  const { status, detail } = refused;
  if (status === 503 || status === 429) return;
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) ? id.toLowerCase() : undefined;
  await record(core, organization, request, { status, reason: detail, uuid });
}

/** One wrong token in a minute is enough to read, and strangers can send them. */
const WRONG_TOKEN_MS = 60_000;
const MAX_REMEMBERED = 1000;

type RecordWrongToken = (number: string, request: Request, refused: DirectoryErrorAnswer) => Promise<void>;

function wrongTokenRecorder(core: Core): RecordWrongToken {
  const recordedAt = new Map<number, number>();
  return async (number, request, { status, detail: reason }) => {
    if (!/^[1-9]\d{0,14}$/.test(number)) return;
    const id = Number(number);
    const now = performance.now();
    if (now - (recordedAt.get(id) ?? Number.NEGATIVE_INFINITY) < WRONG_TOKEN_MS) return;
    recordedAt.delete(id);
    const [oldest] = recordedAt.keys();
    if (oldest !== undefined && recordedAt.size >= MAX_REMEMBERED) recordedAt.delete(oldest);
    recordedAt.set(id, now);
    await record(core, { id }, request, { status, reason });
  };
}

function write(
  response: Response,
  status: number,
  value: object | null,
  headers: readonly string[] = [],
): void {
  if (value === null) {
    writeHead(response, status, headers, DIRECTORY_TYPE);
    response.end();
  } else writeEncoded(response, status, JSON.stringify(value), headers, DIRECTORY_TYPE);
}

function writeError(response: Response, { headers, ...refused }: DirectoryErrorAnswer): void {
  write(response, refused.status, errorBody(refused), headers);
}
