import type { IncomingMessage, ServerResponse } from 'node:http';
import type { components, operations } from '@rollcall/contracts';
import type { Actor, Core, Organization } from '@rollcall/core';
import { writeJson } from './answer.js';
import { bearerToken } from './bearer.js';
import { readBody } from './body.js';
import { compileCheck } from './check.js';
import { inputRules, type OperationId } from './contract.js';
import { ExportFailed, HttpError, isUnexpected, tooManyRequests } from './errors.js';
import { localsOf } from './locals.js';
import { linkToNext } from './next-page.js';
import { readQuery } from './query.js';
import { isStreamed, type Streamed, writeStreamed } from './stream.js';

type Schemas = components['schemas'];

/** What the checked input of an operation is. Those not named here get theirs as it came, or have none. */
interface Inputs {
  readonly inviteUser: Schemas['InviteUserRequest'];
  readonly listUpcomingMeetings: { readonly page?: unknown; readonly items?: unknown };
  readonly exportMeetings: Schemas['ExportMeetingsRequest'];
  readonly exportMeetingsByPost: Schemas['ExportMeetingsRequest'];
}

export type Input<Id extends OperationId> = Id extends keyof Inputs ? Inputs[Id] : unknown;

/** The body of 200 as openapi.yaml has it. */
export type Answer<Id extends OperationId> = operations[Id]['responses'][200]['content']['application/json'];

/** A request that has passed every check. */
export interface Call<Input = unknown> {
  readonly core: Core;
  /** The decoded variables of the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly input: Input;
  /**
   * The IP address that the request comes from, without a port; empty where there is none. Asked for where it
   * matters, as proxies may have to be looked through.
   */
  readonly address: () => string;
}

export interface OrganizationCall<Input = unknown> extends Call<Input> {
  readonly organization: Organization;
}

/** Whoever calls with a token, for the audit trail. */
export function callerOf({ address }: Pick<Call, 'address'>): Actor {
  return { who: { kind: 'access-key' }, from: address() || null };
}

/** An operation of openapi.yaml and the route that answers it. */
export interface Operation {
  readonly id: OperationId;
  /** Whether it is called with a token. */
  readonly isSecured: boolean;
  readonly run: (call: OrganizationCall) => Promise<object>;
}

/** An operation that anybody may call. */
export function open<Id extends OperationId>(
  id: Id,
  route: (call: Call<Input<Id>>) => Promise<Answer<Id>>,
): Operation {
  return { id, isSecured: false, run: route as Operation['run'] };
}

/** An operation that is called with the token of the organization in the path. */
export function secured<Id extends OperationId>(
  id: Id,
  route: (call: OrganizationCall<Input<Id>>) => Promise<Answer<Id> | Streamed>,
): Operation {
  return { id, isSecured: true, run: route as Operation['run'] };
}

export interface OperationWorld {
  readonly core: Core;
  /** Where clients reach this deployment, without a slash at the end. */
  readonly publicUrl: string;
  /** Where a request comes from, as far as proxies are believed. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Counts a request of the organization; seconds to wait when it is one too many, else 0. */
  readonly limitRequests?: ((organizationId: number) => Promise<number>) | undefined;
}

/** Answers a request; `path` are the variables of its path. */
export type OperationHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  path: Call['path'],
) => Promise<void>;

const BROKEN_PATH = 'The path must be percent-encoded UTF-8';

/** The order of work in every operation: token, then path, then media type and body or query, then the rule, then the answer. */
export function operationHandler(
  world: OperationWorld,
  { id, isSecured, run, route }: Operation & { readonly route: string },
): OperationHandler {
  const readInput = inputReader(id);
  const variables = route.split('/').filter((part) => part.startsWith(':')).length;
  return async (request, response, path) => {
    const locals = localsOf(response);
    locals.route = route;
    locals.operation = id;
    try {
      const organization = isSecured ? await authorize(world, request, path) : null;
      locals.organizationId = organization?.id;
      if (Object.keys(path).length < variables) throw new HttpError('invalid-request', { text: BROKEN_PATH });
      const call = {
        core: world.core,
        path,
        input: await readInput(request),
        address: () => world.addressOf(request),
        organization,
      };
      const answer = await run(call as OrganizationCall);
      const more = linkToNext(world, request, answer);
      if (isStreamed(answer)) await writeStreamed(request, response, answer, { more });
      else writeJson(response, 200, answer, more);
    } catch (error) {
      const isFailedExport = isExport(id) && (isUnexpected(error) || response.headersSent);
      throw isFailedExport ? new ExportFailed(error) : error;
    }
  };
}

function isExport(id: OperationId): boolean {
  return id === 'exportMeetings' || id === 'exportMeetingsByPost';
}

async function authorize(
  { core, limitRequests }: OperationWorld,
  request: IncomingMessage,
  { organizationId = '' }: Call['path'],
): Promise<Organization> {
  const organization = await core.authorize({ token: bearerToken(request), organizationId });
  const wait = (await limitRequests?.(organization.id)) ?? 0;
  if (wait > 0) throw tooManyRequests(wait);
  return organization;
}

/** Reads what the operation takes, and checks it unless its mistakes have an answer of their own. */
function inputReader(id: OperationId): (request: IncomingMessage) => Promise<unknown> {
  const rules = inputRules(id);
  if (rules.from === 'nowhere') return async () => undefined;
  if (rules.isLenient) return (request) => readBody(request, rules.mediaTypes);

  const check = compileCheck(rules);
  if (rules.from === 'body') {
    return async (request) => {
      const body = await readBody(request, rules.mediaTypes);
      return check(body === undefined ? {} : body);
    };
  }

  const query = rules.query;
  return async (request) => {
    const { values, problems } = readQuery(rawQuery(request.url), query);
    return check(values, problems);
  };
}

function rawQuery(url = ''): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

/** A field of an input that was not checked; undefined where it has none. */
export function field(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, name)
    ? (input as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
