import { constants } from 'node:os';
import type { Log } from '#adapters/system/log.js';
import { processEnvironment } from './config.js';
import type { StartedService } from './main.js';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** npm hands on what it gets, so that one Ctrl+C on a terminal comes twice: the copy comes so soon, or not at all. */
const COPY_MS = 500;
const LONGEST_STOP = 20_000;
/** How long the reports of a failure may take to reach the error tracker. */
const LAST_REPORTS = 2000;

/**
 * Waits for a signal, stops the service and ends the process: 0 when all was finished. A second signal ends it at once;
 * where npm started the process, that is the third one if the second could be a copy of the first.
 */
export function endWithSignals(service: StartedService, log: Log): void {
  let first: { readonly signal: string; readonly at: number } | null = null;
  let mayBeCopied = isStartedByNpm();
  const onSignal = (signal: (typeof SIGNALS)[number]): void => {
    if (first === null) {
      first = { signal, at: performance.now() };
      void end(service, { log, signal });
      return;
    }
    const isCopy = mayBeCopied && signal === first.signal && performance.now() - first.at < COPY_MS;
    mayBeCopied = false;
    if (!isCopy) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  endWithBugs(service, log);
}

function isStartedByNpm(): boolean {
  const { npm_command, npm_lifecycle_event } = processEnvironment;
  return npm_command !== undefined || npm_lifecycle_event !== undefined;
}

async function end(
  service: StartedService,
  { log, signal }: { readonly log: Log; readonly signal: string },
): Promise<void> {
  log.info({ signal }, 'Stopping: what is under way is finished');
  setTimeout(() => {
    log.error('Not everything could be finished in time');
    process.exit(1);
  }, LONGEST_STOP).unref();
  try {
    await service.stop();
    log.info('Stopped');
    await written(log);
    process.exit(0);
  } catch (error) {
    service.errorTracker.report(error, { severity: 'error', operation: 'stop', requestId: null });
    await told(service, log);
    process.exit(1);
  }
}

/** The last reports, which may be about why it ends. */
async function told(service: StartedService, log: Log): Promise<void> {
  await service.errorTracker.flush(LAST_REPORTS);
  await written(log);
}

/** The log writes behind the back of whoever logs. */
function written(log: Log): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}

/** After an error that nobody caught nothing can be relied upon: it is told, and whoever started us starts us again. */
function endWithBugs(service: StartedService, log: Log): void {
  const onBug = (error: unknown): void => {
    service.errorTracker.report(error, { severity: 'error', operation: 'process', requestId: null });
    log.fatal('Ending after an error that nobody caught');
    void told(service, log).finally(() => process.exit(1));
  };
  // Of a command that ends by itself.
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', onBug);
  process.on('unhandledRejection', onBug);
}
