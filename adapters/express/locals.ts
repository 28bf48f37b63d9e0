import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Organization } from '@rollcall/core';
import type { CheckedInput } from './check.js';
import type { OperationId } from './contract.js';
import type { UnreadAnswers } from './unread-answers.js';

/** The limits that are not counted with `Limits`. */
export type CountedLimit = 'answers' | 'idempotency-keys';

/** Facts about a request while it is being answered, for the answer, the log and the error tracker. */
export interface Locals {
  requestId?: string;
  /** Whether clients reach this deployment by HTTPS. */
  isHttps?: boolean;
  /** Path and query as received, without the path under which the application is mounted. */
  url?: string;
  /** The pattern of the path, never the path itself: URLs contain the tokens of invitations and login links. */
  route?: string;
  operation?: OperationId;
  /** The organization of the request's token; absent if the operation needs no token. */
  organization?: Organization;
  /** The organization of the request's access key or token, also if the request is refused. */
  callerId?: number;
  /** The `X-Error-Code` of the answer. */
  errorCode?: string;
  /** What the answer says is wrong, which may quote the request: one text for each problem. */
  errorTexts?: readonly string[];
  /** Whether a part of the path is not percent-encoded UTF-8. */
  isPathBroken?: boolean;
  /** The input of the operation. */
  checked?: CheckedInput;
  /** The size of an answer that was sent in parts, in bytes before compression. */
  streamedBytes?: number;
  /** The type of an unexpected error; for the trace only. */
  errorType?: string;
  /** What is kept for clients that have not read their answers. */
  unread?: UnreadAnswers;
  /** The limit that was reached; for the metrics only. */
  limit?: CountedLimit;
  /** Why the service was unavailable; for the log only. */
  reason?: string;
}

/** Express's `response.locals` is not used, because a surrounding application may keep its own values there. */
const known = new WeakMap<ServerResponse, Locals>();

export function localsOf(response: ServerResponse): Locals {
  const locals = known.get(response);
  if (locals !== undefined) return locals;
  const fresh: Locals = {};
  known.set(response, fresh);
  return fresh;
}

/** The pattern of the path; null: the path is unknown. */
export function routeOf(response: ServerResponse): string | null {
  const { route } = localsOf(response);
  if (route !== undefined) return route;
  const request: IncomingMessage & { route?: { readonly path?: unknown } } = response.req;
  const path = request.route?.path;
  return typeof path === 'string' ? path : null;
}
