import type { Response } from 'express';
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
  /** Bytes of an answer that was sent in parts. */
  streamedBytes?: number;
  /** Why there was no answer for now, in the words of what is away; for the log only. */
  reason?: string;
}

export function localsOf(response: Response): Locals {
  return response.locals;
}

/** The pattern of the path, or null where none matched. */
export function routeOf(response: Response): string | null {
  const { route } = localsOf(response);
  if (route !== undefined) return route;
  const path: unknown = response.req.route?.path;
  return typeof path === 'string' ? path : null;
}
