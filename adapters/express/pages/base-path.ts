import type { RequestHandler } from 'express';

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
