import type { Response } from 'express';

/** The codes of the interface that say the same as the statuses of pages do (decision 143). */
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

/** Tells programs, and people who look at their logs, what a page of an error says in words; nothing below 400. */
export function setErrorCode(response: Response, status: number): void {
  if (status >= 400) response.set('X-Error-Code', codes[status] ?? 'invalid-request');
}
