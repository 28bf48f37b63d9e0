/**
 * A client of the API. It gets and renews tokens, waits as `Retry-After` says, follows cursors, and streams exports. Uses
 * `fetch` alone, so that it runs in Node, Deno, Bun and workers.
 */
import openapiFetch, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from 'openapi-fetch';
import type { components, paths as generatedPaths } from './generated/openapi.js';

export interface ClientOptions {
  /** The URL of the API, which ends in `/api/v2`. */
  readonly baseUrl: string;
  /** The access key of your organization. It is sent to `authenticate` only. */
  readonly accessKey: string;
  /**
   * How often a request is sent at most, with the first time. 5 by default. A request that waits for an earlier one with
   * the same `Idempotency-Key` is sent until that has ended, for about a minute.
   */
  readonly maxAttempts?: number;
  /** If `Retry-After` says longer, the error is thrown at once. 60 by default. */
  readonly maxWaitSeconds?: number;
  /** By default the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** A code that `X-Error-Code` can have. New codes may be added. */
export type ErrorCode = components['schemas']['ErrorCode'];

/**
 * An answer whose status is not from 200 to 299. Redirects are not followed, because they could send the access key
 * elsewhere. A connection that fails throws the error of `fetch`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 for a redirect in a browser. */
  readonly status: number;
  /** Null if the answer is not one of the API's, such as that of a proxy. */
  readonly code: ErrorCode | null;
  /** For questions to the people who run the service. Null if the answer has none. */
  readonly requestId: string | null;
  /** How many seconds to wait before the next attempt. Null if the answer does not say. */
  readonly retryAfter: number | null;
  /** The headers of the answer. */
  readonly headers: Headers;
  /** The body: JSON, or the text if it is not JSON. */
  readonly body: unknown;

  constructor(response: Response, text: string) {
    const { status, headers } = response;
    const body = parsed(text);
    const code = headers.get('X-Error-Code');
    const requestId = headers.get('X-Request-Id');
    const message = redirectMessage(response) ?? messageOf(body) ?? `status ${status}`;
    super(`${message}${requestId === null ? '' : ` (request ${requestId})`}`);
    this.status = status;
    this.code = code as ErrorCode | null;
    this.requestId = requestId;
    this.retryAfter = retryAfterOf(response);
    this.headers = headers;
    this.body = body;
  }
}

/** The paths of the API. A number in a path can be passed as a number or as text. */
type paths = {
  [Path in keyof generatedPaths]: {
    [Method in keyof generatedPaths[Path]]: WithNumbers<generatedPaths[Path][Method]>;
  };
};

type WithNumbers<Operation> = Operation extends { parameters: { path: infer Names } }
  ? Omit<Operation, 'parameters'> & {
      parameters: Omit<Operation['parameters'], 'path'> & {
        path: { [Name in keyof Names]: Names[Name] | number };
      };
    }
  : Operation;

type Api = Client<paths, 'application/json'>;

/** The parameters and the body, as in openapi-fetch. Optional if the operation requires none. */
type InitOf<Init> = undefined extends Init ? [init?: Init] : [init: Init];

/** Sends a request, and resolves to the body of its answer. Throws `ApiError`. */
type Send<Method extends 'get' | 'post' | 'patch' | 'delete'> = <
  Path extends ClientPathsWithMethod<Api, Method>,
  Init extends MaybeOptionalInit<paths[Path], Method>,
>(
  path: Path,
  ...init: InitOf<Init>
) => Promise<MethodResponse<Api, Method, Path, Init>>;

/** The answer to a GET, by path. */
type Answers = {
  [Path in keyof paths]: paths[Path] extends {
    get: { responses: { 200: { content: { 'application/json': infer Answer } } } };
  }
    ? Answer
    : never;
};

/** The paths whose answers are pages: with the cursor of the next one, or with the number of pages. */
export type ListPath = {
  [Path in keyof paths]: Extract<KeyOf<Answers[Path]>, 'next' | 'total_pages' | 'metadata'> extends never
    ? never
    : Path;
}[keyof paths];

type KeyOf<Answer> = Answer extends unknown ? keyof Answer : never;

/** One page of a list, as the service answers it. */
export type PageOf<Path extends ListPath> = Answers[Path];

/** One item of a list. */
export type ItemOf<Path extends ListPath> = {
  [Name in keyof PageOf<Path>]: PageOf<Path>[Name] extends readonly (infer Item)[] ? Item : never;
}[keyof PageOf<Path>];

/** What `exportMeetings` exports. */
export type Export = NonNullable<paths['/organizations/{id}/export_meetings']['get']['parameters']['query']>;

/** What `meetingChanges` reads. */
export type MeetingChangesQuery = NonNullable<
  paths['/organizations/{id}/meeting_changes']['get']['parameters']['query']
>;

/** A page of changes, with the place after it. */
export type MeetingChanges = PageOf<'/organizations/{id}/meeting_changes'>;

/** A meeting with the columns that were asked for. */
export type ExportedMeeting = components['schemas']['ExportedMeeting'];

export interface RollcallClient {
  readonly get: Send<'get'>;
  readonly post: Send<'post'>;
  readonly patch: Send<'patch'>;
  readonly delete: Send<'delete'>;
  /**
   * Every item of a list. The next page is requested when you have got the items of the one before. An export is
   * requested in pages of 100 meetings: `exportMeetings` gets all of them in one request. Throws a `TypeError` if the
   * path is not that of a list.
   */
  items<Path extends ListPath>(
    path: Path,
    ...init: InitOf<MaybeOptionalInit<paths[Path], 'get'>>
  ): AsyncGenerator<ItemOf<Path>, void, undefined>;
  /**
   * As `items`, page by page. If a page has `next`, keep it to go on from there later: it is the parameter `after`.
   */
  pages<Path extends ListPath>(
    path: Path,
    ...init: InitOf<MaybeOptionalInit<paths[Path], 'get'>>
  ): AsyncGenerator<PageOf<Path>, void, undefined>;
  /**
   * Streams the meetings of an export, a few at a time. If the connection fails before the end, the iteration throws.
   */
  exportMeetings(
    request: { readonly organizationId: number | string; readonly signal?: AbortSignal } & Export,
  ): AsyncGenerator<ExportedMeeting, void, undefined>;
  /**
   * Reads what changed among the meetings, page by page, and ends when there are no more changes for now. When you have
   * applied the changes of a page to your copy, keep its `next`, and pass it as `after` the next time. If that is too old,
   * throws an `ApiError` with the code `cursor-expired`: start again without `after`.
   */
  meetingChanges(
    request: {
      readonly organizationId: number | string;
      readonly signal?: AbortSignal;
    } & MeetingChangesQuery,
  ): AsyncGenerator<MeetingChanges, void, undefined>;
  /** The client of openapi-fetch, for the headers of an answer. It also renews tokens, waits, and throws `ApiError`. */
  readonly raw: Api;
}

/**
 * Creates a client. It gets a token with the first request, and a new one when that has expired.
 *
 * A request that is refused with 429, or with 409 because the first one with its `Idempotency-Key` is still running, is
 * sent again after `Retry-After`. After 503 and after a failed connection this is done only if it is safe: for GET, for
 * the token, and with an `Idempotency-Key` if the operation has that parameter. That of the webhook counts only with
 * `regenerate_secret`.
 *
 * A mistake in the call is a `TypeError`: options that cannot work, a path parameter that is missing.
 */
export function createClient(options: ClientOptions): RollcallClient {
  checkOptions(options);
  const raw = openapiFetch<paths, 'application/json'>({
    baseUrl: options.baseUrl,
    fetch: authorized(options),
  });
  raw.use({ onRequest: ({ schemaPath, params }) => checkPathParameters(schemaPath, params.path) });
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE') => async (path: string, init?: object) => {
    const { data } = await (raw[method] as unknown as UntypedSend)(path, init);
    return data;
  };
  const get = send('GET');

  async function* pages(path: string, init: Init = {}): AsyncGenerator<Page> {
    const asked = init.params?.query ?? {};
    let place: Query = path.endsWith('/export_meetings') ? { page: asked.page ?? 1 } : {};
    for (;;) {
      const query = { ...asked, ...place };
      const page = (await get(path, { ...init, params: { ...init.params, query } })) as Page;
      const next = nextPlace(path, query, page);
      yield page;
      if (next === null) return;
      place = next;
    }
  }

  async function* items(path: string, init?: Init): AsyncGenerator<unknown> {
    for await (const page of pages(path, init)) yield* Object.values(page).find(Array.isArray) ?? [];
  }

  async function* exportMeetings({
    organizationId,
    signal,
    ...query
  }: Parameters<RollcallClient['exportMeetings']>[0]): AsyncGenerator<ExportedMeeting> {
    const { data: body, response } = await (raw.GET as unknown as UntypedSend)(
      '/organizations/{id}/export_meetings',
      {
        params: { path: { id: organizationId }, query },
        headers: { Accept: 'application/x-ndjson' },
        parseAs: 'stream',
        signal,
      },
    );
    if (!/^application\/x-ndjson\b/.test(response.headers.get('Content-Type') ?? ''))
      throw new Error('The service has not answered with application/x-ndjson.');
    for await (const line of linesOf(body as ReadableStream<Uint8Array>))
      yield JSON.parse(line) as ExportedMeeting;
  }

  function meetingChanges({
    organizationId,
    signal,
    ...query
  }: Parameters<RollcallClient['meetingChanges']>[0]): AsyncGenerator<unknown> {
    const params = { path: { id: organizationId }, query };
    return pages('/organizations/{id}/meeting_changes', { params, ...(signal && { signal }) });
  }

  const client = {
    get,
    post: send('POST'),
    patch: send('PATCH'),
    delete: send('DELETE'),
    items,
    pages,
    exportMeetings,
    meetingChanges,
    raw,
  };
  return client as unknown as RollcallClient;
}

type UntypedSend = (
  path: string,
  init?: object,
) => Promise<{ readonly data: unknown; readonly response: Response }>;

type Query = Readonly<Record<string, unknown>>;

interface Init {
  readonly params?: { readonly path?: Query; readonly query?: Query };
  readonly signal?: AbortSignal;
}

/** A page of a list. Lists have a cursor, or the number of the page and of all pages. */
interface Page {
  readonly next?: string | null;
  /** False in a list whose `next` is never null, such as that of events. */
  readonly has_more?: boolean;
  readonly current_page?: number;
  readonly total_pages?: number;
  /** Of an export. It is left out if no column was asked for. */
  readonly metadata?: { readonly page: number; readonly total_pages: number };
  readonly meetings?: readonly unknown[];
}

/** The parameters of the next page. Null after the last one. */
function nextPlace(path: string, asked: Query, page: Page): Query | null {
  const { next, has_more: hasMore, metadata, meetings } = Object(page) as Page;
  if (next !== undefined)
    return next === null || hasMore === false || next === asked.after ? null : { after: next };
  const { current_page: number = metadata?.page, total_pages: total = metadata?.total_pages } = page;
  if (number !== undefined && total !== undefined) return number < total ? { page: number + 1 } : null;
  if (meetings?.length === 0) return null;
  throw new TypeError(`${path} is not a list: its answer has no pages. Use get instead.`);
}

function checkOptions(options: ClientOptions): void {
  const { baseUrl, accessKey } = Object(options) as Partial<ClientOptions>;
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('baseUrl must be the full URL of the API, such as https://example.com/api/v2.');
  if (!/\/api\/v2\/?$/.test(url.href))
    throw new TypeError(`baseUrl must end in /api/v2. It is ${url.origin}${url.pathname}.`);
  if (typeof accessKey !== 'string' || accessKey === '')
    throw new TypeError(
      'accessKey must be a string: the 24 digits of your access key. As a number they would lose digits.',
    );
}

/** Without this, the name itself would be sent, and the answer would be about another organization. */
function checkPathParameters(path: string, given: Readonly<Record<string, unknown>> = {}): undefined {
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g))
    if ([undefined, null, ''].includes(given[name] as undefined))
      throw new TypeError(`${name} of ${path} is missing. Pass it in params: { path: { ${name}: … } }.`);
}

/** A `fetch` that adds the token, waits, and throws `ApiError`. */
function authorized({
  baseUrl,
  accessKey,
  maxAttempts = 5,
  maxWaitSeconds = 60,
  fetch: send = globalThis.fetch,
}: ClientOptions): (request: Request) => Promise<Response> {
  /** Requests at once share one token. */
  let token: Promise<string> | null = null;

  async function patiently(asked: Request): Promise<Response> {
    // The API never redirects, and a 307 or 308 would send the access key to another host.
    const request = new Request(asked, { redirect: 'manual' });
    let attempt = 1;
    let runningSeconds = 0;
    for (;;) {
      const isLast = attempt >= maxAttempts;
      const response = await send(request.clone()).catch(async (error: unknown) => {
        if (isLast || request.signal.aborted || !(await isRepeatable(request))) throw error;
        return null;
      });
      const wait = response === null ? attempt : await secondsToWait(request, response);
      const isRunning = response !== null && isStillRunning(response) && runningSeconds < MAX_RUNNING_SECONDS;
      const isOver = wait === null || (isLast && !isRunning) || wait > maxWaitSeconds;
      if (response !== null && isOver) return response;
      await response?.body?.cancel();
      await pause(wait ?? 0, request.signal);
      if (isRunning) runningSeconds += Math.max(wait ?? 0, 1);
      else attempt += 1;
    }
  }

  async function authenticate(): Promise<string> {
    const request = new Request(`${baseUrl.replace(/\/$/, '')}/authenticate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ access_key: accessKey }),
    });
    const answer = (await okay(await patiently(request)).then((response) => response.json())) as {
      readonly token: string;
    };
    return answer.token;
  }

  function currentToken(): Promise<string> {
    token ??= authenticate().catch((error: unknown) => {
      token = null;
      throw error;
    });
    return token;
  }

  return async (request) => {
    const { signal } = request;
    signal.throwIfAborted();
    const used = currentToken();
    const response = await patiently(withToken(request, await unlessAborted(used, signal)));
    if (response.headers.get('X-Error-Code') !== 'unauthorized-access') return okay(response);
    await response.body?.cancel();
    // Another request may have renewed it already.
    if (token === used) token = null;
    return okay(await patiently(withToken(request, await unlessAborted(currentToken(), signal))));
  };
}

function withToken(request: Request, token: string): Request {
  const authorized = request.clone();
  authorized.headers.set('Authorization', `Bearer ${token}`);
  return authorized;
}

async function okay(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new ApiError(response, await response.text());
}

/** Whether a request that may have arrived can be sent again. */
async function isRepeatable(request: Request): Promise<boolean> {
  const { method, url, headers } = request;
  if (method === 'GET' || method === 'HEAD') return true;
  if (method === 'POST' && AUTHENTICATE.test(url)) return true;
  if (!headers.has('Idempotency-Key')) return false;
  const operation = keyedPaths.find(({ pattern }) => pattern.test(`${method} ${url}`));
  return operation?.keyed === 'always' || (operation !== undefined && (await rotatesSecret(request)));
}

/** Whether a request to the webhook asks for a new secret. Without that, its `Idempotency-Key` is ignored. */
async function rotatesSecret(request: Request): Promise<boolean> {
  const text = await request.clone().text();
  try {
    const { regenerate_secret: value } = Object(JSON.parse(text)) as { readonly regenerate_secret?: unknown };
    return value === '1' || value === 1 || value === true;
  } catch {
    return false;
  }
}

/** Each answer has a token of its own, and no other changes. */
const AUTHENTICATE = /^[^?#]*\/authenticate$/;

type KeyedPath<Method extends 'post' | 'patch' | 'delete'> = {
  [Path in keyof paths]: paths[Path] extends {
    readonly [method in Method]: { parameters: { header?: infer Header } };
  }
    ? 'Idempotency-Key' extends NameIn<Header>
      ? `${Uppercase<Method>} ${Path}`
      : never
    : never;
}[keyof paths];

type NameIn<Header> = Header extends object ? keyof Header : never;

type Keyed = 'always' | 'with regenerate_secret';

/** Every operation of openapi.yaml with the header `Idempotency-Key`, and when it counts. The others ignore it. */
const keyedOperations: Readonly<Record<KeyedPath<'post'> | KeyedPath<'patch'> | KeyedPath<'delete'>, Keyed>> =
  {
    'POST /organizations/{id}/invite_users': 'always',
    'POST /organizations/{organization_id}/webhook': 'with regenerate_secret',
    'PATCH /organizations/{organization_id}/webhook': 'with regenerate_secret',
    'POST /organizations/{organization_id}/webhook/redeliver_failed': 'always',
    'POST /organizations/{organization_id}/webhook/deliveries/{delivery_id}/redeliver': 'always',
  };

const keyedPaths = Object.entries(keyedOperations).map(([operation, keyed]) => {
  const [method, path] = operation.replaceAll(/\{\w+\}/g, '[^/?]+').split(' ');
  return { pattern: new RegExp(`^${method} [^?#]*${path}(?:[?#]|$)`), keyed };
});

/** The first request with this key has no answer yet. Another one can take its place after a minute. */
const MAX_RUNNING_SECONDS = 75;

function isStillRunning({ headers }: Response): boolean {
  return headers.get('X-Error-Code') === 'idempotency-key-in-use';
}

/** Null if the request must not be sent again. */
async function secondsToWait(request: Request, response: Response): Promise<number | null> {
  const isUndone = response.status === 429 || isStillRunning(response);
  const isSafe = isUndone || (response.status === 503 && (await isRepeatable(request)));
  return isSafe ? retryAfterOf(response) : null;
}

function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get('Retry-After') ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** Settles as the promise, or rejects when the signal is aborted. The promise goes on: others may wait for it. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1000);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** The lines of a stream, without empty ones. Ends the stream when the reader stops. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line !== '') yield line;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Null if the answer is not a redirect. */
function redirectMessage({ type, status, headers }: Response): string | null {
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return null;
  const location = headers.get('Location');
  return `The response redirects${location === null ? '' : ` to ${location}`}. The API never redirects: check baseUrl`;
}

/** The API's own words. Null if the body is not an error of the API. */
function messageOf(body: unknown): string | null {
  const { error, errors } = Object(body) as { readonly error?: unknown; readonly errors?: unknown };
  if (typeof error === 'string') return error;
  return Array.isArray(errors) ? errors.join('; ') : null;
}
