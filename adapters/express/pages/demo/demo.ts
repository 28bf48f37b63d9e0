import type { Role } from '@rollcall/core';

/** A trial service: everyone may see and change everything. Its people are made up, and it sends no mail. */
export interface Demo {
  /** What it would have sent. Newest first. */
  mails(): readonly KeptMail[];
  /** Who can sign in by one press. */
  readonly people: readonly Readonly<{ email: string; role: Role }>[];
  /** The password of all of them. */
  readonly password: string;
  /** Replaces all data by those of the first start. */
  startAgain(): Promise<void>;
}

/** A mail that is kept instead of being sent. */
export interface KeptMail {
  readonly to: string;
  readonly subject: string;
  /** Paragraphs with an empty line between them. */
  readonly text: string;
  readonly at: Date;
}
