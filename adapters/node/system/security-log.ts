import type { SecurityEvent, SecurityLog } from '@rollcall/core';
import type { Logger } from '../logger.js';

/**
 * The maximum number of lines of one kind of failure in a minute. At its end, one more line gives the number of further
 * ones.
 */
export const MAX_LINES = 60;
const MINUTE_MS = 60_000;

type Failure = Exclude<SecurityEvent['kind'], 'signed-in' | 'second-factor-used'>;

const messages: Readonly<Record<Failure, string>> = {
  'sign-in-failed': 'Sign-in failed',
  'sign-in-refused': 'Sign-in refused after too many failures',
  'authenticate-failed': 'Wrong access key',
  'authenticate-refused': 'Access key refused after too many failures',
  'directory-failed': 'Wrong directory token',
  'directory-refused': 'Directory token refused after too many failures',
  'operator-failed': 'Wrong operator token',
  'sign-on-failed': 'Sign-on failed',
};

export interface BoundedSecurityLog extends SecurityLog {
  /** Writes the numbers of further events now instead of at the end of the minute. */
  flush(): void;
}

/**
 * Logs each sign-in and each second factor, by the id of the user. Logs failed and refused attempts one by one up to a limit in each minute, then
 * one line with the number of others.
 */
export function boundedSecurityLog(log: Pick<Logger, 'info' | 'warn'>): BoundedSecurityLog {
  const counts = new Map<Failure, number>();
  let end: NodeJS.Timeout | null = null;

  function flush(): void {
    if (end !== null) clearTimeout(end);
    end = null;
    for (const [kind, count] of counts) {
      const more = count - MAX_LINES;
      if (more > 0) log.warn({ security: kind, more }, `${messages[kind]}: further ones in this minute`);
    }
    counts.clear();
  }

  return {
    record(event) {
      const { kind, address } = event;
      if (kind === 'signed-in') {
        // Nobody can make many of them without a right password or a link.
        log.info({ security: kind, user: event.userId, by: event.by, address }, 'Signed in');
        return;
      }
      if (kind === 'second-factor-used') {
        log.info({ security: kind, user: event.userId, factor: event.factor, address }, 'Second factor used');
        return;
      }
      const about =
        event.kind === 'sign-on-failed'
          ? { organizationId: event.organizationId, outcome: event.outcome, reason: event.reason }
          : {
              ...(event.account !== null && { account: event.account }),
              ...(event.factor !== undefined && { factor: event.factor }),
            };
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      // The timer does not keep the process alive.
      end ??= setTimeout(flush, MINUTE_MS).unref();
      if (count > MAX_LINES) return;
      log.warn({ security: kind, address, ...about }, messages[kind]);
    },
    flush,
  };
}
