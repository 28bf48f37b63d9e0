/** A client of the operator's API. Uses `fetch` alone, so that it runs in Node, Deno, Bun and workers. */
import openapiFetch, { type Client } from 'openapi-fetch';
import type { components, paths } from './generated/operator.js';

type Schemas = components['schemas'];

export interface OperatorClientOptions {
  /** The URL of the API, which ends in `/operator/v1`. */
  readonly baseUrl: string;
  /** The `OPERATOR_TOKEN` of the service. */
  readonly token: string;
  /** By default the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** A code that `X-Error-Code` can have. New codes may be added. */
export type OperatorErrorCode = Schemas['ErrorCode'];

/** An error in a line of the records. */
export type RecordError = Schemas['RecordError'];

/** An answer whose status is not from 200 to 299. A connection that fails throws the error of `fetch`. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly status: number;
  /** Null if the answer is not one of the API's, such as that of a proxy. */
  readonly code: OperatorErrorCode | null;
  /** Lines that are wrong, at most ten. Empty if the request was refused for another reason. */
  readonly errors: readonly RecordError[];
  /** The number of other lines whose form is wrong. */
  readonly further: number;
  /** For a look into the log of the service. Null if the answer has none. */
  readonly requestId: string | null;
  /** How many seconds to wait before the next attempt. Null if the answer does not say. */
  readonly retryAfter: number | null;

  constructor({ status, headers }: Response, body: Partial<Schemas['RefusedRecords']>) {
    super(body.error ?? `status ${status}`);
    this.status = status;
    this.code = headers.get('X-Error-Code') as OperatorErrorCode | null;
    this.errors = body.errors ?? [];
    this.further = body.further ?? 0;
    this.requestId = headers.get('X-Request-Id');
    const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : null;
  }
}

/** Records as NDJSON: a text, bytes, a stream of bytes, or the records themselves, which are read as they are sent. */
export type Records =
  | string
  | Uint8Array
  | ReadableStream<Uint8Array>
  | Iterable<object>
  | AsyncIterable<object>;

export interface ImportOptions {
  /** Checks and counts everything, and stores nothing. */
  readonly dryRun?: boolean;
  /** With the same key and bytes, you get the first answer. */
  readonly idempotencyKey?: string;
  /** Whether the records are compressed. */
  readonly gzip?: boolean;
  readonly signal?: AbortSignal;
}

export interface OperatorClient {
  /** Imports records, all or nothing. Throws `OperatorError`: its `errors` are the wrong lines. */
  importRecords(records: Records, options?: ImportOptions): Promise<Schemas['ImportAnswer']>;
  listOrganizations(): Promise<readonly Schemas['Organization'][]>;
  createOrganization(request: Schemas['CreateOrganizationRequest']): Promise<Schemas['Organization']>;
  /** The key is in this answer only. */
  generateAccessKey(
    organizationId: number,
    request?: Schemas['GenerateAccessKeyRequest'],
  ): Promise<Schemas['AccessKeyAnswer']>;
  /** Everything that is stored about a person. */
  readUserData(person: Schemas['PersonRequest']): Promise<Schemas['UserDataAnswer']>;
  /** Removes a person from every organization. */
  eraseUser(person: Schemas['EraseUserRequest']): Promise<Schemas['EraseUserAnswer']>;
  readStatus(): Promise<Schemas['StatusAnswer']>;
  /** The client of `openapi-fetch`, for everything else. It does not throw. */
  readonly raw: Client<paths>;
}

/** Returns a client of the operator's API. */
export function createOperatorClient({ baseUrl, token, fetch }: OperatorClientOptions): OperatorClient {
  const raw = openapiFetch<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${token}` },
    ...(fetch !== undefined && { fetch }),
  });
  return {
    raw,
    importRecords: (records, { dryRun = false, idempotencyKey, gzip = false, signal } = {}) =>
      answerOf(
        raw.POST('/records', {
          params: {
            query: { dry_run: dryRun ? '1' : '0' },
            header: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
          },
          headers: {
            'Content-Type': 'application/x-ndjson',
            ...(gzip && { 'Content-Encoding': 'gzip' }),
          },
          // The type of the document is that of one text.
          body: bodyOf(records) as string,
          bodySerializer: (body: unknown) => body,
          // Required for streams; the answer comes after the whole body.
          duplex: 'half',
          ...(signal !== undefined && { signal }),
        }),
      ),
    async listOrganizations() {
      return (await answerOf(raw.GET('/organizations'))).organizations;
    },
    async createOrganization(body) {
      return (await answerOf(raw.POST('/organizations', { body }))).organization;
    },
    generateAccessKey: (id, body = {}) =>
      answerOf(
        raw.POST('/organizations/{organization_id}/access_key', {
          params: { path: { organization_id: String(id) } },
          body,
        }),
      ),
    readUserData: (body) => answerOf(raw.POST('/users/data', { body })),
    eraseUser: (body) => answerOf(raw.POST('/users/erase', { body })),
    readStatus: () => answerOf(raw.GET('/status')),
  };
}

async function answerOf<Answer>(
  sent: Promise<{ data?: Answer; error?: unknown; response: Response }>,
): Promise<Answer> {
  const { data, error, response } = await sent;
  if (data !== undefined) return data;
  const isObject = typeof error === 'object' && error !== null;
  throw new OperatorError(response, isObject ? (error as Partial<Schemas['RefusedRecords']>) : {});
}

function bodyOf(records: Records): string | Uint8Array | ReadableStream<Uint8Array> {
  if (typeof records === 'string' || records instanceof Uint8Array || records instanceof ReadableStream)
    return records;
  return linesOf(records);
}

/** Records that are sent together. */
const MAX_PIECE_CHARACTERS = 65_536;

/** Reads records only as fast as they are sent. */
function linesOf(records: Iterable<object> | AsyncIterable<object>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator: Iterator<object> | AsyncIterator<object> =
    Symbol.asyncIterator in records ? records[Symbol.asyncIterator]() : records[Symbol.iterator]();
  return new ReadableStream({
    async pull(controller) {
      let piece = '';
      while (piece.length < MAX_PIECE_CHARACTERS) {
        const { value, done } = await iterator.next();
        if (done === true) {
          if (piece !== '') controller.enqueue(encoder.encode(piece));
          return controller.close();
        }
        piece += `${JSON.stringify(value)}\n`;
      }
      controller.enqueue(encoder.encode(piece));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
