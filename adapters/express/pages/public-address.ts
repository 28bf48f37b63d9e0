import type { RequestHandler } from 'express';

/** The address of the pages, from `PUBLIC_URL`. No header of a request can change it. */
export type PublicAddress = Readonly<ReturnType<typeof publicAddress>>;

const LOCAL_NAMES = ['localhost', '127.0.0.1'];

/** On one machine, both of its local names work. */
export function publicAddress(publicUrl: string) {
  const url = new URL(publicUrl);
  const basePath = url.pathname.replace(/\/$/, '');
  const origins = LOCAL_NAMES.includes(url.hostname)
    ? LOCAL_NAMES.map((name) => new URL(`${url.protocol}//${name}:${url.port}`).origin)
    : [url.origin];

  return {
    /** Without a slash at the end. */
    url: `${url.origin}${basePath}`,
    /** The path before all pages: empty, or with a slash at its start and none at its end. */
    basePath,
    isHttps: url.protocol === 'https:',
    /** Empty for the usual port of the protocol. */
    port: url.port,
    /** Whether this is the origin of the service's pages. */
    isOwnOrigin: (origin: string) => origins.includes(origin),
    /** Whether a `Host` header, with its port, names this service. */
    matchesHost: (host: string) => origins.some((origin) => new URL(origin).host === host.toLowerCase()),
    /** The path below `basePath`. Null if the URL is not one of this service. */
    localPath(text: string): string | null {
      const other = URL.canParse(text) ? new URL(text) : null;
      const isOwnOrigin = other !== null && origins.includes(other.origin);
      if (!isOwnOrigin || !other.pathname.startsWith(`${basePath}/`)) return null;
      return `${other.pathname.slice(basePath.length)}${other.search}`;
    },
  };
}

/** Attributes that contain one of the service's own addresses. */
const addresses = / (href|src|action|formaction)="\/(?!\/)/g;

/** Adds the path of `PUBLIC_URL` to the service's own addresses in a page. Views write them without it. */
export function addBasePath(html: string, basePath: string): string {
  return basePath === '' ? html : html.replace(addresses, ` $1="${basePath}/`);
}

/** Adds the path of `PUBLIC_URL` to redirects. */
export function addBasePathToRedirects(basePath: string): RequestHandler {
  return (_request, response, next) => {
    const location = response.location.bind(response);
    response.location = (url) => location(/^\/(?!\/)/.test(url) ? `${basePath}${url}` : url);
    next();
  };
}

/** Undoes `addBasePathToRedirects` for a request that is passed on to the host. */
export const restoreRedirects: RequestHandler = (_request, response, next) => {
  Reflect.deleteProperty(response, 'location');
  next();
};
