import type { Response } from 'express';

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
