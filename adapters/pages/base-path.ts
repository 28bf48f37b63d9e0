import type { RequestHandler } from 'express';

/** Attributes of a page that hold the address of a page or a file of ours. */
const addresses = / (href|src|action|formaction)="\/(?!\/)/g;

/** Puts the path of `PUBLIC_URL` before every address of ours in a page: views name them as if there were none. */
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
