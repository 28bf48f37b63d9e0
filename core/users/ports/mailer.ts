import type { Secret } from '../../values/secret.js';

/** A mail with its text, ready to be sent. */
export interface Mail {
  /** The address of the only recipient. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  /** Plain text. It can hold a link that signs someone in, so it is in no log. */
  readonly text: Secret;
}

/** What became of a mail. Reasons name neither the recipient nor anything in the text. */
export type SentMail =
  | { readonly outcome: 'sent' }
  /** The mail server will not take this mail, now or later. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** The mail server could not be reached, or said to try again later. */
  | { readonly outcome: 'failed'; readonly reason: string };

/** Hands mails to a mail server. */
export interface Mailer {
  /** Sends one mail to its one recipient. Never throws, and ends after a minute at the latest. */
  send(mail: Mail): Promise<SentMail>;
}
