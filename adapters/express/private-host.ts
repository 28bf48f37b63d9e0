import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Names that no one on the internet can point to an address: of this machine, and inside of Docker and Kubernetes. */
const LOCAL_NAME = /^(?:[^.]+|.+\.(?:localhost|internal|svc|cluster\.local))$/;

/**
 * Returns a check for a port that trusts those who can reach it: what is wrong with the `Host` header of a request, or null.
 * A page in a browser can make a name of its own point to this machine (DNS rebinding), and then read the answers. It cannot
 * do so with an address, with a local name, or with one of these names. Only browsers are meant, which always send `Host`.
 */
export function privateHost(
  names: readonly string[],
): (request: Pick<IncomingMessage, 'headers'>) => string | null {
  const known = new Set(names.map(plainName));
  return ({ headers: { host } }) => {
    if (host === undefined) return null;
    const name = plainName(host.replace(/:\d*$/, ''));
    const isAddress = isIP(name.replace(/^\[|\]$/g, '')) !== 0;
    return isAddress || LOCAL_NAME.test(name) || known.has(name)
      ? null
      : 'The Host header must name this port by its address or by a configured name';
  };
}

/** A dot at the end makes no difference. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
