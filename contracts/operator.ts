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

/**
 * Records as NDJSON: a text, bytes, a stream of bytes, or the records themselves, which are read as they are sent. Chunks
 * that are text or bytes, such as those of a `Readable` of Node, are sent as they are: they need their own line ends.
 */
export type Records =
  | string
  | Uint8Array
  | ReadableStream<Uint8Array>
  | Iterable<object | string>
  | AsyncIterable<object | string>;

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
  /**
   * Imports records, all or nothing. Throws `OperatorError`: its `errors` are the wrong lines. The request begins with the
   * first record, and later ones are sent within a second. After an error or an abort, no more records are read, and
   * `return` of their iterator is called.
   */
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
    async importRecords(records, { dryRun = false, idempotencyKey, gzip = false, signal } = {}) {
      const send = (body: string | Uint8Array | ReadableStream<Uint8Array>) =>
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
            body: body as string,
            bodySerializer: (body: unknown) => body,
            // Required for streams; the answer comes after the whole body.
            duplex: 'half',
            ...(signal !== undefined && { signal }),
          }),
        );
      if (typeof records === 'string' || records instanceof Uint8Array) return send(records);
      const source = sourceOf(records, signal);
      try {
        // The service waits only a few seconds for a request, and `fetch` sends nothing before the first chunk.
        await source.begin();
        return await send(source.body);
      } finally {
        source.stop();
      }
    },
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

/** Records that are sent together. */
const MAX_PIECE_CHARACTERS = 65_536;
/** How long a record waits for others to be sent with. */
const MAX_PIECE_MS = 1000;

type Chunk = object | string;

/** A body that is read only as fast as it is sent. */
interface Source {
  readonly body: ReadableStream<Uint8Array>;
  /** Resolves when the first chunk has been read, or there is none. Rejects if that fails or the signal is aborted. */
  begin(): Promise<void>;
  /** Reads no further, and ends the iteration. The body fails, so that what was sent of it never looks complete. */
  stop(): void;
}

/** Also stops when the signal is aborted. */
function sourceOf(records: Exclude<Records, string | Uint8Array>, signal: AbortSignal | undefined): Source {
  const iterator = iteratorOf(records);
  const encoder = new TextEncoder();
  let first: Promise<IteratorResult<Chunk>> | null = null;
  let isAtEnd = false;
  let isFirstPiece = true;
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  async function sendPiece(body: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    let piece = '';
    // The first record is sent at once: the connection is open, and its other end waits for the head of the request.
    let isDue = isFirstPiece;
    isFirstPiece = false;
    const flush = (): void => {
      if (piece !== '' && !isStopped()) body.enqueue(encoder.encode(piece));
      piece = '';
    };
    const timer = setTimeout(() => {
      isDue = true;
      flush();
    }, MAX_PIECE_MS);
    try {
      while (piece.length < MAX_PIECE_CHARACTERS && !(isDue && piece !== '')) {
        const { value, done } = await (first ?? iterator.next());
        first = null;
        if (isStopped()) return;
        if (done === true) {
          isAtEnd = true;
          flush();
          return body.close();
        }
        if (value instanceof Uint8Array) {
          if (value.length === 0) continue;
          flush();
          return body.enqueue(value);
        }
        piece += typeof value === 'string' ? value : `${JSON.stringify(value)}\n`;
      }
      flush();
    } finally {
      clearTimeout(timer);
    }
  }

  function stop(): void {
    if (isStopped()) return;
    stopping.abort();
    controller?.error(new Error('The import ended before its records'));
    // Not awaited: a generator that waits for its next record returns only after that.
    if (!isAtEnd) (async () => iterator.return?.())().catch(() => undefined);
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(of) {
        controller = of;
      },
      pull: sendPiece,
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
  return {
    body,
    stop,
    begin: () =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          stop();
          reject(signal?.reason);
        };
        if (signal?.aborted) return abort();
        signal?.addEventListener('abort', abort, { once: true, signal: stopping.signal });
        first = (async () => iterator.next())();
        first.then(() => resolve(), reject);
      }),
  };
}

function iteratorOf(
  records: Exclude<Records, string | Uint8Array>,
): Iterator<Chunk, unknown> | AsyncIterator<Chunk, unknown> {
  if (records instanceof ReadableStream) {
    const reader = records.getReader();
    return {
      next: () => reader.read(),
      async return() {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    };
  }
  return Symbol.asyncIterator in records ? records[Symbol.asyncIterator]() : records[Symbol.iterator]();
}
