import type { Request, Response } from 'express';
import helmet from 'helmet';
import type { PublicAddress } from './public-address.js';

/** Sets the headers that every answer of the pages has. */
export type SetHeaders = (request: Request, response: Response) => void;

/**
 * Nothing but our own files is loaded, nothing is stored, nobody frames us. `strict-origin`: no address that
 * holds a token leaves in a Referer, and forms still tell their origin (with `no-referrer` it would be `null`).
 */
export function pageHeaders(address: PublicAddress): SetHeaders {
  return headersWith(address, {});
}

/**
 * The page whose calls can be tried needs two things more, and only it gets them: to call the interface that
 * serves it, and the icons that Swagger UI's stylesheet holds as `data:`.
 */
export function referenceHeaders(address: PublicAddress): SetHeaders {
  return headersWith(address, { imgSrc: ["'self'", 'data:'], connectSrc: ["'self'"] });
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

/** Helmet hands on errors only by its third argument. */
function refuse(error?: unknown): void {
  if (error !== undefined) throw error;
}
