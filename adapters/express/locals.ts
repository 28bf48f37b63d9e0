import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Organization } from '@rollcall/core';
import type { CheckedInput } from './check.js';
import type { OperationId } from './contract.js';

/** What is known of a request while it is answered; the answer, the log and the error tracker use it. */
export interface Locals {
  requestId?: string;
  /** Whether clients reach this deployment by HTTPS. */
  isHttps?: boolean;
  /** Path and query as they came, below the path under which the application is mounted. */
  url?: string;
  /** The pattern of the path, never the path: URLs hold the tokens of invitations and login links. */
  route?: string;
  operation?: OperationId;
  /** Whose token the request has; absent where it needs none. */
  organization?: Organization;
  /** A part of the path is not percent-encoded UTF-8. */
  isPathBroken?: boolean;
  /** The input of the operation. */
  checked?: CheckedInput;
  /** Bytes of an answer that was sent in parts, before compression. */
  streamedBytes?: number;
  /** Why there was no answer for now, in the words of what is away; for the log only. */
  reason?: string;
}

/** Not Express's `response.locals`: an application that ours is mounted in has its own values there. */
const known = new WeakMap<ServerResponse, Locals>();

export function localsOf(response: ServerResponse): Locals {
  const locals = known.get(response);
  if (locals !== undefined) return locals;
  const fresh: Locals = {};
  known.set(response, fresh);
  return fresh;
}

/** The pattern of the path, or null where none matched. */
export function routeOf(response: ServerResponse): string | null {
  const { route } = localsOf(response);
  if (route !== undefined) return route;
  const request: IncomingMessage & { route?: { readonly path?: unknown } } = response.req;
  const path = request.route?.path;
  return typeof path === 'string' ? path : null;
}
