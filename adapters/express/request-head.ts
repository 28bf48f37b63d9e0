import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { rawValues } from './raw-headers.js';

/**
 * What is wrong with the head of a request that Node's parser accepts, in any of its versions; null if it is valid. A
 * proxy could read an invalid head differently, with another end or another host, so nothing after it on the connection
 * can be trusted.
 */
export function headProblem(request: IncomingMessage): string | null {
  const { httpVersion, rawHeaders, url = '' } = request;
  const isVersion10 = httpVersion === '1.0';
  if (!isVersion10 && httpVersion !== '1.1') return 'The version must be HTTP/1.1 or HTTP/1.0';
  if (isVersion10 && request.headers['transfer-encoding'] !== undefined)
    return 'HTTP/1.0 has no Transfer-Encoding';
  return hostProblem(rawHeaders, { isRequired: !isVersion10, url });
}

function hostProblem(
  rawHeaders: readonly string[],
  { isRequired, url }: { readonly isRequired: boolean; readonly url: string },
): string | null {
  const [host, ...others] = rawValues(rawHeaders, 'host');
  if (others.length > 0) return 'The Host header must be given once';
  if (host === undefined) return isRequired ? 'The Host header is missing' : null;
  if (!isValidHost(host)) return 'The Host header must be a name or an address, and may have a port';
  const isSame = url.startsWith('/') || namesHost(url, host);
  return isSame ? null : 'The URL must name the host that the Host header names';
}

const MAX_HOST_CHARACTERS = 255;
const MAX_PORT = 65_535;

/** Only the characters that host names use in practice; RFC 9110 allows some more. */
function isValidHost(host: string): boolean {
  if (host.length > MAX_HOST_CHARACTERS) return false;
  const parts = /^(?:\[([^\]]*)\]|[\w.-]+)(?::(\d{0,5}))?$/.exec(host);
  if (parts === null) return false;
  const [, address, port = ''] = parts;
  return Number(port) <= MAX_PORT && (address === undefined || (isIPv6(address) && !address.includes('%')));
}

/** Whether a whole URL names the host. A target without a host, such as `*`, is for any. */
function namesHost(url: string, host: string): boolean {
  const [, authority] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
  return authority === undefined || authority.toLowerCase() === host.toLowerCase();
}
