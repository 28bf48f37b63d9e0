import type { IncomingHttpHeaders } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; null if there is none, as with HEAD. */
  readonly json: Json;
}

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape, and each test says which one it expects
export type Json = any;
