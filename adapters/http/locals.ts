import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OperationId } from './contract.js';

/** What is known of a request while it is answered; the answer, the log and the error tracker tell it. */
export interface Locals {
  requestId?: string;
  /** Whether clients reach this deployment by HTTPS. */
  isHttps?: boolean;
  /** The pattern of the path, never the path: URLs hold the tokens of invitations and login links. */
  route?: string;
  operation?: OperationId;
  organizationId?: number | undefined;
  /** Bytes of an answer that was sent in parts, as they were before any packing. */
  streamedBytes?: number;
  /** Why there was no answer for now, in the words of what is away; for the log only. */
  reason?: string;
}

/** Where Express keeps them as well. */
export function localsOf(response: ServerResponse): Locals {
  const holder: ServerResponse & { locals?: Locals } = response;
  holder.locals ??= {};
  return holder.locals;
}

/** The pattern of the path, or null where none matched. */
export function routeOf(response: ServerResponse): string | null {
  const { route } = localsOf(response);
  if (route !== undefined) return route;
  const request: IncomingMessage & { route?: { readonly path?: unknown } } = response.req;
  const path = request.route?.path;
  return typeof path === 'string' ? path : null;
}
