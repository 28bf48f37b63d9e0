import type { ErrorTracker } from '@rollcall/core';
import { type Logger, logErrorTracker } from '@rollcall/node';
import { sentryErrorTracker } from '@rollcall/node/sentry';
import type { Config } from './config.js';
import { version } from './version.js';

/** An error tracker that may send reports after `report` has returned. */
export interface FlushedErrorTracker extends ErrorTracker {
  /** Resolves when every report is sent, or when the time is over. */
  flush(timeoutMs: number): Promise<void>;
}

/** Writes each error to the log and, with a DSN, also sends it to Sentry. */
export function createErrorTracker(
  { sentryDsn }: Pick<Config, 'sentryDsn'>,
  log: Logger,
): FlushedErrorTracker {
  if (sentryDsn === null) return { ...logErrorTracker(log), flush: async () => {} };
  return sentryErrorTracker({ dsn: sentryDsn.reveal(), release: `rollcall@${version()}`, log });
}
