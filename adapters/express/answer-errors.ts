import { type ErrorTracker, Unavailable } from '@rollcall/core';
import type { ErrorRequestHandler, Response } from 'express';
import { writeError } from './answer.js';
import { ClientGone, ExportFailed, isUnexpected, type OtherAnswers } from './errors.js';
import { localsOf, routeOf } from './locals.js';

/** Answers every thrown error, and reports the unexpected ones. */
export function answerErrors(errorTracker: ErrorTracker, others?: OtherAnswers): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    if (error instanceof ClientGone || response.destroyed) return;
    reportError(errorTracker, error, response);
    // An answer that has begun cannot be replaced. Without its end, the client sees that it is incomplete.
    if (response.headersSent) response.destroy();
    else writeError(response, error, others);
  };
}

/** Keeps the reason of an outage for the line of the request in the log, and reports an unexpected error. */
export function reportError(errorTracker: ErrorTracker, error: unknown, response: Response): void {
  const locals = localsOf(response);
  if (error instanceof Unavailable) locals.reason = error.message;
  const isExportError = error instanceof ExportFailed;
  if (!(isExportError || isUnexpected(error) || response.headersSent)) return;
  const reported = isExportError ? error.cause : error;
  locals.errorType = reported instanceof Error ? reported.constructor.name : typeof reported;
  errorTracker.report(reported, {
    severity: isExportError ? 'info' : 'error',
    operation: locals.operation ?? routeOf(response) ?? 'unknown path',
    requestId: locals.requestId ?? null,
  });
}
