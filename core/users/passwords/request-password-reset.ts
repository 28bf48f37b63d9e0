import type { Limit } from '../../access/ports/limits.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { networkOf } from '../../values/address.js';
import { emailProblem, normalizeEmail } from '../../values/email.js';
import { refuseAny } from '../../values/problems.js';

/** Requests for one address. The subject is the address, whether a user has it or not. */
const perAccount: Limit = { name: 'password-reset-account', points: 3, seconds: 15 * 60 };
const perNetwork: Limit = { name: 'password-reset-address', points: 20, seconds: 60 * 60 };

/** The request of `requestPasswordReset`. */
export interface RequestPasswordReset {
  /** The address of the account, in any case. */
  readonly email: string;
  /** The IP address of the caller; requests are counted for it (see `networkOf`). */
  readonly address: string;
}

/**
 * Sends a link to set a new password, if a user has the address. Whether one has it shows neither in the result nor in
 * the time that it takes.
 *
 * @throws `Refusal`: `mail-not-configured`; `invalid-request` if the address is not an email address;
 * `too-many-requests` after too many requests from the network.
 */
export async function requestPasswordReset(
  deps: Uses<'clock.now' | 'limits.consume' | 'mailer.send' | 'mails.add'>,
  { email, address }: RequestPasswordReset,
): Promise<void> {
  if (deps.mailer === undefined) throw new Refusal('mail-not-configured', 'This service sends no mail');
  refuseAny([emailProblem('email', email)]);
  const account = normalizeEmail(email);
  const seconds = await deps.limits.consume(perNetwork, networkOf(address));
  if (seconds > 0) throw new Refusal('too-many-requests', 'Too many requests; try again later', seconds);
  // No refusal: it would tell others that someone asked for the address.
  if ((await deps.limits.consume(perAccount, account)) > 0) return;
  // The user is looked up when the mail is sent, so that all addresses take the same time here.
  await deps.mails.add({ kind: 'password-reset', email: account, createdAt: deps.clock.now() });
}
