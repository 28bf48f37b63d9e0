/** What the subject of an audit entry `email-changed` says. */
export interface EmailChange {
  /** The address before. */
  readonly from: string;
  /** The address since. */
  readonly to: string;
}

const ARROW = ' → ';

/** The subject of an audit entry `email-changed`. An entry has one text, so both addresses are in it. */
export function emailChangeSubject({ from, to }: EmailChange): string {
  return `${from}${ARROW}${to}`;
}

/**
 * Reads the addresses in the subject of an audit entry `email-changed`; null: it names none, because the person was
 * erased. No address has a space in it. A long subject is cut, and `to` is then not the whole address.
 */
export function readEmailChange(subject: string): EmailChange | null {
  const [from = '', to] = subject.split(ARROW);
  return to === undefined ? null : { from, to };
}
