import { ApiError } from '@rollcall/contracts/client';
import type { Connection } from './connection.js';

/** A request of any operation, which the types of the client do not know. */
export interface AnyRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What the service answered to a request that it refused. Null if it did not refuse it. */
export interface RefusalSeen {
  readonly status: number;
  readonly code: string | null;
  readonly body: unknown;
  /** Names and values, without the date and the request ID. */
  readonly headers: readonly (readonly [string, string])[];
}

export async function refusalOf(
  { api }: Connection,
  { method, path, params, body }: AnyRequest,
): Promise<RefusalSeen | null> {
  type Send = (path: string, init: object) => Promise<unknown>;
  try {
    await (api.raw[method] as unknown as Send)(path, { params: { path: params }, body });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const headers = [...error.headers].filter(([name]) => !/^(date|x-request-id)$/.test(name));
    return { status: error.status, code: error.code, body: error.body, headers };
  }
}
