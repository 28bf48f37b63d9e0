import type { RequestHandler } from 'express';

/** Attributes of a page that hold one of our own addresses. */
const addresses = / (href|src|action|formaction)="\/(?!\/)/g;

/** Puts the path of `PUBLIC_URL` before our own addresses in a page. Views write them without it. */
export function belowBasePath(html: string, basePath: string): string {
  return basePath === '' ? html : html.replace(addresses, ` $1="${basePath}/`);
}

/** The same for redirects. */
export function redirectBelow(basePath: string): RequestHandler {
  return (_request, response, next) => {
    const location = response.location.bind(response);
    response.location = (url) => location(/^\/(?!\/)/.test(url) ? `${basePath}${url}` : url);
    next();
  };
}
