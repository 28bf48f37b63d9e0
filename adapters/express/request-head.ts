import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/**
 * Says what is wrong with the head of a request beyond what Node's parser refuses, which differs between its
 * versions; null where nothing is. Whoever stands before this server could read such a head in another way than we
 * do: where it ends, or for which host it is. Nothing that comes after it on its connection can be trusted.
 */
export function headProblem(request: IncomingMessage): string | null {
  const { httpVersion, rawHeaders, url = '' } = request;
  const isOld = httpVersion === '1.0';
  if (!isOld && httpVersion !== '1.1') return 'The version must be HTTP/1.1 or HTTP/1.0';
  if (isOld && request.headers['transfer-encoding'] !== undefined) return 'HTTP/1.0 has no Transfer-Encoding';
  return hostProblem(rawHeaders, { isRequired: !isOld, url });
}

function hostProblem(
  rawHeaders: readonly string[],
  { isRequired, url }: { readonly isRequired: boolean; readonly url: string },
): string | null {
  let host: string | null = null;
  // Node keeps the first of two and drops the other, so they are counted where nothing has been dropped yet.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!isHost(rawHeaders[index])) continue;
    if (host !== null) return 'The Host header must be given once';
    host = rawHeaders[index + 1] ?? '';
  }
  if (host === null) return isRequired ? 'The Host header is missing' : null;
  if (!isValidHost(host)) return 'The Host header must be a name or an address, and may have a port';
  const isSame = url.startsWith('/') || namesHost(url, host);
  return isSame ? null : 'The URL must name the host that the Host header names';
}

function isHost(name: string | undefined): boolean {
  return name?.length === 4 && name.toLowerCase() === 'host';
}

const MAX_HOST_CHARACTERS = 255;
const MAX_PORT = 65_535;

/** Names have the characters that names of machines have; RFC 9110 would allow some more, which nobody uses. */
function isValidHost(host: string): boolean {
  if (host.length > MAX_HOST_CHARACTERS) return false;
  const parts = /^(?:\[([^\]]*)\]|[\w.-]+)(?::(\d{0,5}))?$/.exec(host);
  if (parts === null) return false;
  const [, address, port = ''] = parts;
  return Number(port) <= MAX_PORT && (address === undefined || (isIPv6(address) && !address.includes('%')));
}

/** Of a target that is a whole URL; one that names no host, as `*`, is for any. */
function namesHost(url: string, host: string): boolean {
  const [, authority] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
  return authority === undefined || authority.toLowerCase() === host.toLowerCase();
}
