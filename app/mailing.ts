import { type Core, type ErrorTracker, type Mailer, type MailReport, Unavailable } from '@rollcall/core';
import type { Logger, SmtpMailer } from '@rollcall/node';
import type { Part } from './part.js';

const POLL_INTERVAL_MS = 2000;
/** Mails that are sent at once. */
const MAX_SENDING = 8;
/** How long mails that are being sent may still take when the service stops. They are sent again after the next start. */
const LAST_MAILS_MS = 5000;

/** A mailer that sends nothing over a network need not be stopped. */
export type StoppableMailer = Mailer & Partial<Pick<SmtpMailer, 'stop'>>;

/** Sends mails while the service runs, if it has a mail server. */
export function createMailing({
  core,
  mailer,
  log,
  errorTracker,
  observe,
  intervalMs = POLL_INTERVAL_MS,
  lastMailsMs = LAST_MAILS_MS,
}: {
  readonly core: Pick<Core, 'sendMails'>;
  readonly mailer: StoppableMailer | null;
  readonly log: Logger;
  readonly errorTracker: ErrorTracker;
  readonly observe?: ((mail: MailReport) => void) | undefined;
  readonly intervalMs?: number;
  readonly lastMailsMs?: number;
}): Part {
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  let isStopped = false;

  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      sending = sendAll().finally(schedule);
    }, intervalMs);
  }

  /** Never throws: after a failure, the next run tries again. */
  async function sendAll(): Promise<void> {
    try {
      for (let count = MAX_SENDING; count === MAX_SENDING && !isStopped; ) {
        const reports = await core.sendMails({ limit: MAX_SENDING });
        for (const report of reports) {
          logMail(log, report);
          observe?.(report);
        }
        count = reports.length;
      }
    } catch (error) {
      if (error instanceof Unavailable)
        log.warn({ reason: error.message }, 'No mail sent: the database is away');
      else errorTracker.report(error, { severity: 'error', operation: 'mail', requestId: null });
    }
  }

  return {
    async start() {
      if (mailer !== null) schedule();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      const last = setTimeout(() => mailer?.stop?.(), lastMailsMs);
      await sending;
      clearTimeout(last);
    },
  };
}

function logMail(log: Logger, { kind, outcome, reason }: MailReport): void {
  if (outcome === 'sent') log.info({ kind }, 'Mail sent');
  else if (outcome === 'dropped') log.info({ kind }, 'Mail dropped: nobody has the address');
  else if (outcome === 'postponed') log.warn({ kind, reason }, 'Mail not sent yet');
  else log.warn({ kind, reason }, 'Mail given up');
}
