import type { Request, Response } from 'express';
import helmet from 'helmet';
import type { PublicAddress } from './public-address.js';

export type SetHeaders = (request: Request, response: Response) => void;

/** The documents are for everyone, also for search engines, and no other page is. */
export type PageKind = 'page' | 'guide';

/**
 * Pages load and call only the service's own addresses, are not stored, and can't be framed. With `strict-origin`, a Referer never
 * contains an address with a token, and forms still send their origin (with `no-referrer` it would be `null`).
 */
export function pageHeaders({ isHttps }: PublicAddress): Readonly<Record<PageKind, SetHeaders>> {
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        scriptSrc: ["'self'"],
        imgSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        connectSrc: ["'self'"],
      },
    },
    referrerPolicy: { policy: 'strict-origin' },
    strictTransportSecurity: isHttps,
    xFrameOptions: { action: 'deny' },
  });
  const headers =
    (isListed: boolean): SetHeaders =>
    (request, response) => {
      protect(request, response, refuse);
      response.set('Cache-Control', 'no-store');
      // No search engine may list a page that someone has published the address of. A robots.txt would only hide this from it.
      if (!isListed) response.set('X-Robots-Tag', 'noindex');
    };
  return { page: headers(false), guide: headers(true) };
}

/** Helmet passes errors to its third argument only. */
function refuse(error?: unknown): void {
  if (error !== undefined) throw error;
}

/** The API's codes for the statuses of pages. */
const codes: Readonly<Record<number, string>> = {
  400: 'malformed-body',
  401: 'unauthorized-access',
  403: 'not-authorized',
  404: 'unknown-path',
  405: 'method-not-allowed',
  413: 'body-too-large',
  415: 'unsupported-media-type',
  429: 'too-many-requests',
  500: 'internal-error',
  503: 'unavailable',
};

/** Gives an error page the API's code, for programs and their logs. Statuses below 400 have none. */
export function setErrorCode(response: Response, status: number): void {
  if (status >= 400) response.set('X-Error-Code', codes[status] ?? 'invalid-request');
}
