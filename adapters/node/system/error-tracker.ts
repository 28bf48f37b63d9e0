import type { ErrorTracker } from '@rollcall/core';
import type { Logger } from '../logger.js';

const MAX_CAUSES = 5;

/** Writes each report as one line of the log, at the level of its severity. */
export function logErrorTracker(log: Logger): ErrorTracker {
  return {
    report(error, { severity, operation, requestId, eventId }) {
      log[severity](
        { operation, requestId, eventId, error: describe(error, 0) },
        `${operation}: ${messageOf(error)}`,
      );
    },
  };
}

interface ErrorDescription {
  readonly name: string;
  readonly message: string;
  readonly stack: string | null;
  readonly cause: ErrorDescription | null;
}

/** Copies single fields, because libraries attach whole requests and queries to their errors. */
function describe(error: unknown, depth: number): ErrorDescription {
  if (!(error instanceof Error))
    return { name: typeof error, message: messageOf(error), stack: null, cause: null };
  return {
    name: error.name,
    message: error.message,
    stack: error.stack ?? null,
    cause: error.cause === undefined || depth === MAX_CAUSES ? null : describe(error.cause, depth + 1),
  };
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : 'a value that is not an error was thrown';
}
