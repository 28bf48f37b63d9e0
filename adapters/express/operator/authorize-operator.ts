import type { IncomingMessage } from 'node:http';
import type { SecurityLog } from '@rollcall/core';
import { readAddress } from '@rollcall/core/adapters';
import type { RequestHandler } from 'express';
import { bearerChallenge, bearerToken } from '../bearer.js';
import { mayHaveBody } from '../body.js';
import { HttpError } from '../errors.js';

/** How long the rest of a refused body is received and dropped, so that the client can read the answer. */
const DROP_MS = 1_000;

/** Refuses requests without the token, before anything of their bodies is read. */
export function authorizeOperator({
  isToken,
  securityLog,
}: {
  readonly isToken: (token: string) => boolean;
  readonly securityLog: SecurityLog;
}): RequestHandler {
  return (request, response, next) => {
    const token = bearerToken(request);
    if (token !== null && isToken(token)) return next();
    const address = readAddress(String(request.ip));
    securityLog.record({ kind: 'operator-failed', address, account: null });
    if (mayHaveBody(request)) response.once('finish', () => setTimeout(cutOff, DROP_MS, request).unref());
    throw new HttpError('unauthorized-access', {
      headers: { 'WWW-Authenticate': bearerChallenge('operator', request) },
    });
  };
}

/** Node goes on to receive a body that nobody reads. */
function cutOff(request: IncomingMessage): void {
  if (!request.complete) request.socket.destroy();
}
