import type { IncomingMessage } from 'node:http';

/**
 * The token of the request's only `Authorization: Bearer` header, or null. The raw headers are read because Node drops
 * the second of two such headers.
 */
export function bearerToken({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | null {
  let found: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!isAuthorization(rawHeaders[index])) continue;
    if (found !== null) return null;
    found = rawHeaders[index + 1] ?? '';
  }
  return found === null ? null : (/^bearer +([\w.~+/-]+=*)$/i.exec(found)?.[1] ?? null);
}

/**
 * The challenge of a 401 (RFC 6750). Without a token, it names no error: the client may not have known that it needs one.
 */
export function bearerChallenge(
  realm: 'api' | 'operator',
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
): string {
  const isSent = rawHeaders.some(
    (value, index) => isAuthorization(rawHeaders[index - 1]) && /^bearer +\S/i.test(value),
  );
  return `Bearer realm="${realm}"${isSent ? ', error="invalid_token"' : ''}`;
}

function isAuthorization(name: string | undefined): boolean {
  return name?.length === 13 && name.toLowerCase() === 'authorization';
}
