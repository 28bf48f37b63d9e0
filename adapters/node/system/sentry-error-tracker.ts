import type { ErrorTracker } from '@rollcall/core';
import type { Logger } from '../logger.js';
import { logErrorTracker } from './error-tracker.js';
import type { SentryClient } from './sentry-client.js';
import { checkSentryDsn } from './sentry-dsn.js';

export interface SentryOptions {
  /** `https://<key>@<host>[:port][/path]/<project>`. */
  readonly dsn: string;
  /** The running version, such as `rollcall@1.2.0`. */
  readonly release: string;
  readonly environment?: string;
  readonly log: Logger;
  /** Posts the events; by default, the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface SentryErrorTracker extends ErrorTracker {
  /** Resolves when all reports are sent, or after `timeoutMs`. Reports that still wait then are lost. */
  flush(timeoutMs: number): Promise<void>;
}

/**
 * Writes each report to the log and sends it to Sentry, after `report` has returned. If events do not reach Sentry, the
 * log has one line when that begins and one with their number when it ends. `report` never throws. Throws at once for
 * an invalid DSN.
 */
export function sentryErrorTracker(options: SentryOptions): SentryErrorTracker {
  checkSentryDsn(options.dsn);
  const { log, release } = options;
  const logged = logErrorTracker(log);
  const losses = createLossCount(log);
  const client = loadClient(options, losses);
  return {
    report(error, context) {
      const { severity, operation, requestId } = context;
      const unreadable = (): void => log.error({ operation, requestId }, 'An error cannot be described');
      const tags = { operation, release, ...(requestId === null ? {} : { request_id: requestId }) };
      try {
        logged.report(error, context);
        client.then((loaded) => loaded?.capture(error, { severity, tags })).catch(unreadable);
      } catch {
        // A message or a cause may be a getter that throws.
        unreadable();
      }
    },
    async flush(timeoutMs) {
      await (await client)?.flush(timeoutMs);
      losses.end('Reports never reached the error tracker');
    },
  };
}

/** The client costs 0.3 s and 20 MB, so only a service with a DSN loads it, and does not wait for it. */
const loadSentry = () => import('./sentry-client.js');

/** Resolves to null if the program has not installed Sentry's package. */
async function loadClient(
  { dsn, release, environment = 'production', fetch = globalThis.fetch }: SentryOptions,
  losses: LossCount,
): Promise<SentryClient | null> {
  const loaded = await loadSentry().catch(() => null);
  if (loaded === null) {
    losses.add('the package @sentry/core is not installed');
    return null;
  }
  return loaded.createSentryClient({
    dsn,
    release,
    environment,
    fetch,
    onLost: losses.add,
    onSent: () => losses.end('Reports reach the error tracker again'),
  });
}

type LossCount = ReturnType<typeof createLossCount>;

function createLossCount(log: Logger) {
  let lost = 0;
  return {
    add(reason: string): void {
      lost += 1;
      if (lost === 1)
        log.warn({ reason }, 'Reports do not reach the error tracker, and are only in this log');
    },
    end(message: string): void {
      if (lost > 0) log.warn({ lost }, message);
      lost = 0;
    },
  };
}
