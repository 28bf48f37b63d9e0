import type { Uses } from '../deps.js';
import { passwordChangedText, passwordResetText } from './mail-text.js';
import { passwordResetLifetimeMs } from './password-reset.js';
import type { ClaimedMail, Mail, MailKind } from './ports.js';

/** A mail whose process has crashed is sent by another one after this time, which is longer than an attempt lasts. */
const CLAIM_MS = 10 * 60 * 1000;
const FIRST_PAUSE_MS = 30 * 1000;
const MAX_PAUSE_MS = 15 * 60 * 1000;
/** A mail that could not be sent for this long is given up, and so is one that a restored database still has. */
const GIVE_UP_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

/** The request of `sendMails`. */
export interface SendMails {
  /** The maximum number of mails to send at once. */
  readonly limit: number;
}

/** What became of a mail. It names neither the recipient nor the text. */
export interface MailReport {
  /** What the mail is about. */
  readonly kind: MailKind;
  /** `dropped`: nobody has the address. `postponed`: to be tried again. `failed`: given up. */
  readonly outcome: 'sent' | 'dropped' | 'postponed' | 'failed';
  /** Why it was not sent; null if it was sent or dropped. */
  readonly reason: string | null;
}

type SendNeeds = Uses<
  | 'clock.now'
  | 'ids.uuid'
  | 'links.passwordReset'
  | 'mailer.send'
  | 'mails.claim'
  | 'mails.finish'
  | 'mails.postpone'
  | 'passwordResets.store'
  | 'secrets.newToken'
  | 'settings.serviceName'
  | 'users.byEmail'
>;

/** Sends the mails that are due, and returns what became of each. */
export async function sendMails(deps: SendNeeds, { limit }: SendMails): Promise<readonly MailReport[]> {
  if (deps.mailer === undefined) return [];
  const at = deps.clock.now();
  const until = new Date(at.getTime() + CLAIM_MS);
  const claimed = await deps.mails.claim({ limit, claim: deps.ids.uuid(), at, until });
  return Promise.all(claimed.map((mail) => send(deps, mail)));
}

async function send(deps: SendNeeds, claimed: ClaimedMail): Promise<MailReport> {
  const { kind } = claimed;
  const start = deps.clock.now().getTime();
  if (start - claimed.createdAt.getTime() >= GIVE_UP_AFTER_MS) {
    await deps.mails.finish(claimed);
    return { kind, outcome: 'failed', reason: 'it has waited for three days' };
  }
  const mail = await write(deps, claimed);
  if (mail === null || deps.mailer === undefined) {
    await deps.mails.finish(claimed);
    return { kind, outcome: 'dropped', reason: null };
  }

  const result = await deps.mailer.send(mail);
  if (result.outcome === 'sent') {
    await deps.mails.finish(claimed);
    return { kind, outcome: 'sent', reason: null };
  }
  const { reason } = result;
  if (result.outcome === 'refused') {
    await deps.mails.finish(claimed);
    return { kind, outcome: 'failed', reason };
  }
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** claimed.attempts);
  await deps.mails.postpone({ ...claimed, dueAt: new Date(deps.clock.now().getTime() + pause) });
  return { kind, outcome: 'postponed', reason };
}

/** Writes the mail as it is sent now; null: nobody has the address. */
async function write(deps: SendNeeds, { kind, email, createdAt }: ClaimedMail): Promise<Mail | null> {
  const { serviceName } = deps.settings;
  if (kind === 'password-changed') {
    const user = await deps.users.byEmail(email);
    return user === null ? null : { to: email, ...passwordChangedText({ serviceName, at: createdAt }) };
  }
  const { token, hash } = deps.secrets.newToken('password-reset');
  const now = deps.clock.now();
  const expiresAt = new Date(now.getTime() + passwordResetLifetimeMs);
  const user = await deps.passwordResets.store({ hash, email, createdAt: now, expiresAt });
  const url = deps.links.passwordReset?.(token);
  if (url === undefined) throw new TypeError('links.passwordReset is missing');
  return user === null ? null : { to: email, ...passwordResetText({ serviceName, url }) };
}
