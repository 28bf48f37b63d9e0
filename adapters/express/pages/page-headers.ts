import type { Request, Response } from 'express';
import helmet from 'helmet';
import type { PublicAddress } from './public-address.js';

/** Sets the headers of an answer. */
export type SetHeaders = (request: Request, response: Response) => void;

/**
 * Pages load and call only the service's own addresses, are not stored, and can't be framed. With `strict-origin`, a Referer never
 * contains an address with a token, and forms still send their origin (with `no-referrer` it would be `null`).
 */
export function pageHeaders(address: PublicAddress): SetHeaders {
  const setHeaders = headersWith(address, {});
  return (request, response) => {
    setHeaders(request, response);
    // No search engine may list a page that someone has published the address of. A robots.txt would only hide this from it.
    response.set('X-Robots-Tag', 'noindex');
  };
}

/** The documents are for everyone, also for search engines. */
export function docsHeaders(address: PublicAddress): SetHeaders {
  return headersWith(address, {});
}

/** Only the interactive reference may also load Swagger UI's `data:` icons. */
export function referenceHeaders(address: PublicAddress): SetHeaders {
  return headersWith(address, { imgSrc: ["'self'", 'data:'] });
}

function headersWith({ isHttps }: PublicAddress, more: Readonly<Record<string, string[]>>): SetHeaders {
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
        ...more,
      },
    },
    referrerPolicy: { policy: 'strict-origin' },
    strictTransportSecurity: isHttps,
    xFrameOptions: { action: 'deny' },
  });
  return (request, response) => {
    protect(request, response, refuse);
    response.set('Cache-Control', 'no-store');
  };
}

/** Helmet passes errors to its third argument only. */
function refuse(error?: unknown): void {
  if (error !== undefined) throw error;
}
