import type { ErrorTracker } from '@rollcall/core';
import type { Logger } from '@rollcall/node';
import { boundedSecurityLog, logErrorTracker } from '@rollcall/node';
import { sentryErrorTracker } from '@rollcall/node/sentry';
import type { Config } from '../config.js';
import { version } from '../version.js';
import { type Bindings, provide } from './bindings.js';

/** An error tracker that may send reports after `report` has returned. */
export interface FlushedErrorTracker extends ErrorTracker {
  /** Resolves when every report is sent, or when the time is over. */
  flush(timeoutMs: number): Promise<void>;
}

export const errorTrackerModule = {
  errorTracker: provide(['config', 'log'], ({ config, log }) => errorTrackerOf(config, log)),
  securityLog: provide(['log'], ({ log }) => boundedSecurityLog(log)),
} satisfies Bindings;

/** Writes each error to the log and, with a DSN, also sends it to Sentry. */
function errorTrackerOf({ sentryDsn }: Config, log: Logger): FlushedErrorTracker {
  if (sentryDsn === null) return { ...logErrorTracker(log), flush: async () => {} };
  return sentryErrorTracker({ dsn: sentryDsn.reveal(), release: `rollcall@${version()}`, log });
}
