import { createHash } from 'node:crypto';
import type { components, operations } from '@rollcall/contracts';
import {
  type Actor,
  type AnswerOnce,
  type Core,
  type KeptAnswer,
  type Organization,
  type Problem,
  Refusal,
} from '@rollcall/core';
import { readAddress } from '@rollcall/core/adapters';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { writeEncoded, writeJson, writeLongJson } from './answer.js';
import { refuseUnread, tooManyAnswers } from './answer-limits.js';
import { bearerToken } from './bearer.js';
import { readBody } from './body.js';
import { type CheckedInput, compileCheck } from './check.js';
import { type ApiOperationId, inputRules, type OperationId, successStatus } from './contract.js';
import { ExportFailed, HttpError, isUnexpected, tooManyRequests } from './errors.js';
import type { FairTurns } from './fair-turns.js';
import { localsOf } from './locals.js';
import type { LongAnswers } from './long-answers.js';
import { linkToNext } from './next-page.js';
import { readQuery } from './query.js';
import { rawQuery } from './raw-query.js';
import { isStreamed, type Streamed, writeStreamed } from './stream.js';
import { wireText } from './wire-names.js';

type Schemas = components['schemas'];

/** The checked inputs that differ from those of openapi.yaml. */
interface Inputs {
  readonly authenticate: Partial<Schemas['AuthenticateRequest']>;
  readonly inviteUsers: { readonly users: readonly unknown[] };
  readonly readMeetingChanges: Pick<Schemas['ExportMeetingsRequest'], 'column'> &
    Pick<NonNullable<operations['readMeetingChanges']['parameters']['query']>, 'after' | 'limit'>;
  readonly createWebhook: WebhookInput;
  readonly changeWebhook: WebhookInput;
  readonly exportMeetings: Schemas['ExportMeetingsRequest'];
}

/** Wrong fields are left out. */
interface WebhookInput extends Partial<Omit<Schemas['WebhookRequest'], 'webhook'>> {
  readonly webhook?: Partial<Schemas['WebhookRequest']['webhook']>;
}

/** The checked input of an operation: the body if it is JSON, or else the query. */
export type Input<Id extends ApiOperationId> = Id extends keyof Inputs ? Inputs[Id] : InputOf<operations[Id]>;

/** The input as the document of an operation defines it. */
export type InputOf<Operation extends { readonly parameters: { readonly query?: unknown } }> =
  Operation extends { readonly requestBody?: never }
    ? NonNullable<Operation['parameters']['query']>
    : Operation extends { readonly requestBody?: { readonly content: Json<infer Body> } }
      ? Body
      : NonNullable<Operation['parameters']['query']>;

interface Json<Body> {
  readonly 'application/json': Body;
}

/** The body of the operation's successful answer, as openapi.yaml defines it. */
export type Answer<Id extends ApiOperationId> = AnswerOf<operations[Id]>;

/** The body of the successful answer as the document of an operation defines it. */
export type AnswerOf<Operation extends { readonly responses: unknown }> = {
  [Status in 200 | 201 | 202]: Operation['responses'] extends {
    readonly [status in Status]: { readonly content: Json<infer Body> };
  }
    ? Body
    : never;
}[200 | 201 | 202];

/** A request that has passed every check. */
export interface Call<Input = unknown> {
  readonly core: Core;
  /** The decoded variables of the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly input: Input;
  /** The problems that the check has found, for the core to refuse. */
  readonly problems: readonly Problem[];
  /** The IP address of the client, without a port; empty if it is not known. Read from proxies only when it is needed. */
  readonly address: string;
  /** To be told the organization of an access key in the input, for the list of calls. */
  readonly identified: (organizationId: number) => void;
  /** The caller of an operation with a token, for the audit trail. */
  readonly by: Actor;
  /** The request's header `Accept`; empty if it has none. */
  readonly accept: string;
  /** Adds a header to the answer. */
  readonly setHeader: (name: string, value: string) => void;
  /**
   * Keeps an answer in the transaction of what the request asks for. Set the headers before. Only for a request with an
   * `Idempotency-Key`.
   */
  readonly keep?: ((result: object) => KeptAnswer) | undefined;
  /** To be called before long texts are read for the answer: resolves when there is room for them. */
  readonly beforeLongTexts: () => Promise<void>;
}

export interface OrganizationCall<Input = unknown> extends Call<Input> {
  readonly organization: Organization;
}

/** Every request may have an `Idempotency-Key`. */
export const alwaysRepeatable = { isRepeatable: () => true } as const;

/** An operation of openapi.yaml and the route that answers it. */
export interface Operation {
  readonly id: ApiOperationId;
  /** Whether the operation needs a token. */
  readonly isSecured: boolean;
  readonly run: (call: OrganizationCall) => Promise<object>;
  /**
   * Whether a request with this input may have an `Idempotency-Key`, which is otherwise ignored. Never, if this is
   * absent.
   */
  readonly isRepeatable?: (input: unknown) => boolean;
}

/** An operation that needs no token. */
export function publicOperation<Id extends ApiOperationId>(
  id: Id,
  route: (call: Call<Input<Id>>) => Promise<Answer<Id>>,
): Operation {
  return { id, isSecured: false, run: route as Operation['run'] };
}

/** An operation that needs the token of the organization in the path. */
export function securedOperation<Id extends ApiOperationId>(
  id: Id,
  route: (call: OrganizationCall<Input<Id>>) => Promise<Answer<Id> | Streamed>,
  more: { readonly isRepeatable?: (input: Input<Id>) => boolean } = {},
): Operation {
  return { id, isSecured: true, run: route, ...more } as Operation;
}

export interface OperationOptions {
  readonly core: Core;
  /** The URL at which clients reach this deployment, without a slash at the end. */
  readonly publicUrl: string;
  /** Counts a request of the organization. Resolves to 0, or to the seconds to wait if there are too many. */
  readonly limitRequests?: ((organizationId: number) => Promise<number>) | undefined;
}

/** `OperationOptions`, and what limits the answers of all operations together. */
export interface AnsweringOptions extends OperationOptions {
  readonly turns: FairTurns;
  readonly longAnswers: LongAnswers;
}

/** Returns the handlers of an operation, in order: token, path, body or query, use-case, answer. */
export function handlersOf(
  options: AnsweringOptions,
  { route, ...operation }: Operation & { readonly route: string },
): readonly RequestHandler[] {
  const { id, isSecured } = operation;
  return [
    name(id, route),
    ...(isSecured ? [authorize(options)] : []),
    ...(isSecured && options.limitRequests !== undefined ? [limit(options.limitRequests)] : []),
    refuseBrokenPath,
    ...(inputRules(id).from === 'nowhere' ? [] : [readInput(id)]),
    ...(operation.isRepeatable === undefined ? [] : [answerOnce(options, operation)]),
    answer(options, operation),
  ];
}

/** Names the operation, for the log and the error tracker. */
export function name(id: OperationId, route: string): RequestHandler {
  return (_request, response, next) => {
    Object.assign(localsOf(response), { route, operation: id });
    next();
  };
}

function authorize({ core }: OperationOptions): RequestHandler {
  return async (request, response, next) => {
    const { organizationId = '' } = request.params as Call['path'];
    localsOf(response).organization = await core.authorize({
      token: bearerToken(request),
      organizationId,
      identified: identifiedIn(response),
    });
    refuseUnread(response);
    next();
  };
}

function identifiedIn(response: Response): Call['identified'] {
  return (organizationId) => {
    localsOf(response).callerId = organizationId;
  };
}

function limit(count: NonNullable<OperationOptions['limitRequests']>): RequestHandler {
  return async (_request, response, next) => {
    const { organization } = localsOf(response);
    const wait = organization === undefined ? 0 : await count(organization.id);
    if (wait > 0) throw tooManyRequests(wait);
    next();
  };
}

export const refuseBrokenPath: RequestHandler = (_request, response, next) => {
  if (localsOf(response).isPathBroken)
    throw new HttpError('invalid-request', { text: 'The path must be percent-encoded UTF-8' });
  next();
};

/** Reads and checks the input of the operation. */
export function readInput(id: OperationId): RequestHandler {
  const read = inputReader(id);
  return async (request, response, next) => {
    localsOf(response).checked = await read(request);
    next();
  };
}

function answer(options: AnsweringOptions, operation: Operation): RequestHandler {
  const { turns, longAnswers } = options;
  const status = successStatus(operation.id);
  return async (request, response) => {
    const { id = 0 } = localsOf(response).organization ?? {};
    await turns.next(id);
    let end: (() => void) | null = null;
    const beforeLongTexts = async (): Promise<void> => {
      end ??= longAnswers.beginNow(id);
      if (end === null) throw new MustWait();
      refuseUnread(response);
    };
    const respond = async (): Promise<void> => {
      const { result, more } = await runRoute(options, operation, { request, response, beforeLongTexts });
      // PostgreSQL may have answered many requests in this turn.
      await turns.next(id);
      // Only what changes nothing can be asked for again.
      if (request.method === 'GET' || request.method === 'HEAD') refuseUnread(response);
      if (isStreamed(result)) await writeStreamed(request, response, result, { more });
      else if (end === null) writeJson(response, status, result, more);
      else await writeLongJson(response, { status, value: result, more }, () => turns.next(id));
    };
    try {
      await respond().catch(async (error: unknown) => {
        if (!(error instanceof MustWait)) throw error;
        end = await longAnswers.begin(id, () => tooManyAnswers(response));
        // Of many that are refused now, none may read its list again in the same turn.
        refuseUnread(response);
        await turns.next(id);
        await respond();
      });
    } finally {
      (end as (() => void) | null)?.();
    }
  };
}

/**
 * Thrown before long texts are read while there is no room for them. The route runs again later, because promises that
 * have waited are old objects: the texts to which they resolve would stay in memory until a full garbage collection.
 */
class MustWait extends Error {}

/** Answers a request with an `Idempotency-Key` once, and repeats that answer. */
function answerOnce(options: AnsweringOptions, operation: Operation): RequestHandler {
  const { id, isRepeatable = () => false } = operation;
  const status = successStatus(id);
  return async (request, response, next) => {
    const { 'idempotency-key': key } = request.headers;
    const { organization, checked: { input, problems } = noInput } = localsOf(response);
    if (key === undefined || organization === undefined || !isRepeatable(input)) return next();
    let hasBegun = false;
    const work: AnswerOnce['work'] = async (keep) => {
      hasBegun = true;
      const { result, more } = await runRoute(options, operation, { request, response, keep });
      return keptText(result, more);
    };
    // Invalid fields are problems, and not in the input.
    const fingerprint = fingerprintOf([request.params, input, ...problems]);
    const call = { organization, operation: id, key: String(key), fingerprint, work };
    const kept = await options.core.answerOnce(call).catch((error: unknown) => {
      if (!hasBegun && isTooMany(error)) localsOf(response).limit = 'idempotency-keys';
      throw error;
    });
    const [json, more] = JSON.parse(kept) as readonly [string, readonly string[]];
    writeEncoded(response, status, json, more);
  };
}

function isTooMany(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'too-many-requests';
}

/** The body and the headers of an answer as one text. */
function keptText(result: object, more: readonly string[]): string {
  return JSON.stringify([JSON.stringify(result), more]);
}

/** Hashed, so that only the length of a hash is stored. */
function fingerprintOf(request: unknown): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url');
}

/** Returns the result of the route, with alternating names and values of headers. */
async function runRoute(
  { core, publicUrl }: OperationOptions,
  { run }: Operation,
  {
    request,
    response,
    keep,
    beforeLongTexts = async () => {},
  }: {
    readonly request: Request;
    readonly response: Response;
    readonly keep?: (answer: string) => KeptAnswer;
    readonly beforeLongTexts?: Call['beforeLongTexts'];
  },
): Promise<{ readonly result: object; readonly more: readonly string[] }> {
  const { organization, checked = noInput, url = '' } = localsOf(response);
  const headers = new Map<string, string>();
  const call = {
    core,
    path: request.params,
    ...checked,
    get address() {
      return addressOf(request);
    },
    get by() {
      return { who: { kind: 'access-key' }, from: addressOf(request) || null };
    },
    get identified() {
      return identifiedIn(response);
    },
    accept: request.headers.accept ?? '',
    setHeader: (name: string, value: string) => headers.set(name, value),
    keep: keep && ((result: object) => keep(keptText(result, [...headers].flat()))),
    beforeLongTexts,
    organization,
  };
  const result = await run(call as unknown as OrganizationCall);
  return {
    result,
    more: [...linkToNext({ publicUrl, method: request.method, url }, result), ...[...headers].flat()],
  };
}

/** The address of the client as trusted proxies report it; empty if it is not known. */
export function addressOf({ ip }: Request): string {
  return readAddress(String(ip)) ?? '';
}

/** Wraps an unexpected error of an export in an `ExportFailed`, which is answered with 400 (section 4.6). */
export const nameFailedExport: ErrorRequestHandler = (error, _request, response, next) => {
  const { operation } = localsOf(response);
  const isExport = operation === 'exportMeetings' || operation === 'exportMeetingsByPost';
  next(isExport && (isUnexpected(error) || response.headersSent) ? new ExportFailed(error) : error);
};

/** The parameters that may contain a `+`, which stands for a space in a query. */
const parametersWithPlus = ['email', 'since', 'time_zone', 'until', 'updated_since'];

/** Tells how to write a `+`, if a parameter was refused because it had one. */
export const explainPlus: ErrorRequestHandler = (error, request, _response, next) => {
  if (!(error instanceof Refusal)) return next(error);
  const lost = parametersWithPlus.filter((name) => hasPlus(rawQuery(request.url), name));
  const explained = error.problems.map((problem) => {
    if (!lost.some((name) => wireText(problem).startsWith(`${name} must `))) return problem;
    return { ...problem, message: `${problem.message}. In a URL, write + as %2B` };
  });
  next(lost.length === 0 || explained.length === 0 ? error : new Refusal(error.code, explained));
};

function hasPlus(query: string, name: string): boolean {
  return query.split('&').some((pair) => pair.startsWith(`${name}=`) && pair.includes('+'));
}

export const noInput: CheckedInput = { input: {}, problems: [] };

/** Returns a function that reads and checks the input of the operation. */
function inputReader(id: OperationId): (request: Request) => Promise<CheckedInput> {
  const rules = inputRules(id);
  const check = compileCheck(id);
  if (rules.from === 'body') {
    const noParameters = { fields: new Map(), lists: new Set<string>(), isStrict: rules.isStrict };
    return async (request) => {
      const { failed } = readQuery(rawQuery(request.url), noParameters);
      const body = await readBody(request, rules);
      return check(body === undefined ? {} : body, failed);
    };
  }

  return async (request) => {
    const { values, failed } = readQuery(rawQuery(request.url), rules);
    return check(values, failed);
  };
}
