/** Where the pages are, as the operator says (`PUBLIC_URL`); no header of a request has a say in it. */
export interface PublicAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly origin: string;
  /** What stands before every path of ours in a browser; empty, or it begins with a slash and does not end with one. */
  readonly basePath: string;
  readonly isHttps: boolean;
  /** Whether this is an origin that our own pages have. */
  isOurs(origin: string): boolean;
  /** Whether a request that asked for this host, with its port, came by an address of ours. */
  isAskedAt(host: string): boolean;
  /** The path below `basePath` when the address is one of ours, else null. */
  localPath(url: string): string | null;
}

const LOCAL_NAMES = ['localhost', '127.0.0.1'];

/** A demo on one machine answers by both of its names. */
export function publicAddress(publicUrl: string): PublicAddress {
  const url = new URL(publicUrl);
  const basePath = url.pathname.replace(/\/$/, '');
  const origins = LOCAL_NAMES.includes(url.hostname)
    ? LOCAL_NAMES.map((name) => new URL(`${url.protocol}//${name}:${url.port}`).origin)
    : [url.origin];

  return {
    url: `${url.origin}${basePath}`,
    origin: url.origin,
    basePath,
    isHttps: url.protocol === 'https:',
    isOurs: (origin) => origins.includes(origin),
    isAskedAt: (host) => origins.some((origin) => new URL(origin).host === host.toLowerCase()),
    localPath(text) {
      const other = URL.canParse(text) ? new URL(text) : null;
      const isOurs = other !== null && origins.includes(other.origin);
      if (!isOurs || !other.pathname.startsWith(`${basePath}/`)) return null;
      return `${other.pathname.slice(basePath.length)}${other.search}`;
    },
  };
}
