import { constants } from 'node:os';
import type { Log } from '@rollcall/node/log';
import { processEnvironment } from './config.js';
import type { StartedService } from './start-service.js';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** npm forwards signals, so one Ctrl+C on a terminal may arrive twice. The copy arrives within this time, also on a busy machine. */
const COPY_MS = 2000;
const MAX_STOP_MS = 20_000;
/** How long the reports of a failure may take to reach the error tracker. */
const LAST_REPORTS_MS = 2000;

/**
 * Stops the service at the first signal and ends the process, with 0 if everything was finished. A second signal ends
 * the process at once. If npm started the process, the second signal may be a copy of the first and is then ignored.
 */
export function shutdownOnSignals(service: StartedService, log: Log): void {
  let first: { readonly signal: string; readonly at: number } | null = null;
  let mayBeCopied = isStartedByNpm();
  const onSignal = (signal: (typeof SIGNALS)[number] | 'SIGHUP'): void => {
    if (first === null) {
      first = { signal, at: performance.now() };
      void stop(service, { log, signal });
      return;
    }
    const isCopy = mayBeCopied && signal === first.signal && performance.now() - first.at < COPY_MS;
    mayBeCopied = false;
    if (!isCopy) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  // A closed terminal ends the service. Without one, this asks to read files again, and those that may change are watched.
  process.on('SIGHUP', () => {
    if (process.stdin.isTTY) onSignal('SIGHUP');
    else
      log.info('SIGHUP ignored: certificate files are read again when they change, all else needs a restart');
  });
  exitOnBugs(service, log);
}

function isStartedByNpm(): boolean {
  const { npm_command, npm_lifecycle_event } = processEnvironment;
  return npm_command !== undefined || npm_lifecycle_event !== undefined;
}

async function stop(
  service: StartedService,
  { log, signal }: { readonly log: Log; readonly signal: string },
): Promise<void> {
  log.info({ signal }, 'Stopping: finishing what is under way');
  setTimeout(() => {
    log.error('Stopped too late: not everything was finished');
    process.exit(1);
  }, MAX_STOP_MS).unref();
  try {
    await service.stop();
    log.info('Stopped');
    await flushLog(log);
    process.exit(0);
  } catch (error) {
    service.errorTracker.report(error, { severity: 'error', operation: 'stop', requestId: null });
    await flushReports(service, log);
    process.exit(1);
  }
}

/** Waits for the last reports, which may explain why the process ends. */
async function flushReports(service: StartedService, log: Log): Promise<void> {
  await service.errorTracker.flush(LAST_REPORTS_MS);
  await flushLog(log);
}

/** Waits for the log to write its lines, because it does so later than they are logged. */
function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}

/**
 * After an uncaught error, the state of the process is unknown. It reports the error and ends, so that its supervisor
 * starts it again.
 */
function exitOnBugs(service: StartedService, log: Log): void {
  const onBug = (error: unknown): void => {
    service.errorTracker.report(error, { severity: 'error', operation: 'process', requestId: null });
    log.fatal('Ending after an uncaught error');
    void flushReports(service, log).finally(() => process.exit(1));
  };
  // Removes the handler for commands, which end by themselves.
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', onBug);
  process.on('unhandledRejection', onBug);
}
