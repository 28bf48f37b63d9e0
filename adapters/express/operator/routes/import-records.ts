import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientGone, HttpError } from '../../errors.js';
import { operatorOperation } from '../operator-operation.js';

/** Passes the body on as it arrives. The client may leave at any time. */
export const importRecords = operatorOperation(
  'importRecords',
  async ({ operations, input, by, request, response }) => {
    checkMediaType(request);
    const { 'idempotency-key': key } = request.headers;
    try {
      return await operations.importRecords({
        source: bodyOf(request),
        isDryRun: input.dry_run === '1',
        idempotencyKey: key === undefined ? null : String(key),
        from: by.from,
        signal: signalOf(response),
      });
    } finally {
      // The rest of a refused body is dropped, so that the client can read the answer.
      request.resume();
    }
  },
);

function checkMediaType({ headers }: IncomingMessage): void {
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';');
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (mediaType.trim().toLowerCase() !== 'application/x-ndjson')
    throw new HttpError('unsupported-media-type', { text: 'Content-Type must be application/x-ndjson' });
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw new HttpError('unsupported-media-type', { text: 'Content-Encoding must be gzip or identity' });
}

/**
 * The bytes of the body. Throws `ClientGone` if it is cut off. While the answer is prepared, nothing arrives, and the
 * connection is kept all the same.
 */
async function* bodyOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw request.destroyed ? new ClientGone('The client left before its records were read') : error;
  }
  if (!request.complete) throw new ClientGone('The client left before its records were read');
  request.socket.setTimeout(0);
}

function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
