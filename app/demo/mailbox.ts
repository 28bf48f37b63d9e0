import type { Clock, Mailer } from '@rollcall/core';
import type { KeptMail } from '@rollcall/express';

const MAX_MAILS = 50;

/** Takes every mail instead of sending it, and keeps the newest ones in memory. */
export function createMailbox(
  { now }: Pick<Clock, 'now'>,
  onMail: (mail: KeptMail) => void,
): Mailer & { readonly mails: () => readonly KeptMail[]; readonly empty: () => void } {
  const kept: KeptMail[] = [];
  return {
    mails: () => kept,
    empty() {
      kept.length = 0;
    },
    async send({ to, subject, text }) {
      const mail = { to, subject, text: text.reveal(), at: now() };
      kept.unshift(mail);
      kept.splice(MAX_MAILS);
      onMail(mail);
      return { outcome: 'sent' };
    },
  };
}
