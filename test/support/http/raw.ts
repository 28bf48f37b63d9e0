import type { TestContext } from 'node:test';
import { parseReplies } from './client.js';
import { checkAnswer } from './contract.js';
import type { Reply } from './reply.js';
import { type HttpService, type StartHttpService, startHttpService } from './service.js';

/** A request without the empty line after its headers. */
export const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';

/** The end of the headers, with the request to close the connection after the response. */
export const close = 'Connection: close\r\n\r\n';

/** Starts a service, and stops it after the test. */
export async function startFor(t: TestContext, given: StartHttpService = {}): Promise<HttpService> {
  const service = await startHttpService(given);
  t.after(service.stop);
  return service;
}

/** Sends the bytes, and returns the outcome of each response, which must be one that any request can get. */
export async function outcomes(
  { client }: HttpService,
  ...parts: readonly (string | Buffer)[]
): Promise<readonly string[]> {
  const replies = parseReplies(await client.raw(...parts));
  for (const reply of replies) checkAnswer({ method: 'RAW', path: '/', reply });
  return replies.map(outcome);
}

/** The status and the error code. */
export function outcome({ status, headers }: Reply): string {
  return `${status} ${headers['x-error-code']}`;
}
