import type { IncomingMessage } from 'node:http';
import { rawValues } from './raw-headers.js';

/** The token of the request's only `Authorization: Bearer` header, or null. */
export function bearerToken({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | null {
  const [found = '', ...others] = rawValues(rawHeaders, 'authorization');
  return others.length > 0 ? null : (/^bearer +([\w.~+/-]+=*)$/i.exec(found)?.[1] ?? null);
}

/**
 * The challenge of a 401 (RFC 6750). Without a token, it names no error: the client may not have known that it needs one.
 */
export function bearerChallenge(
  realm: 'api' | 'operator',
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
): string {
  const isSent = rawValues(rawHeaders, 'authorization').some((value) => /^bearer +\S/i.test(value));
  return `Bearer realm="${realm}"${isSent ? ', error="invalid_token"' : ''}`;
}
