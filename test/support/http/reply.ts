import type { IncomingHttpHeaders } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON, or null if there is none, as with HEAD. */
  readonly json: Json;
}

// biome-ignore lint/suspicious/noExplicitAny: responses have various shapes, and each test checks the one that it expects
export type Json = any;
