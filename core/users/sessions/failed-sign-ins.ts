import type { Limit } from '../../access/ports/limits.js';
import type { FailedAttempt, UsedFactor } from '../../access/ports/security-log.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { networkOf, readAddress } from '../../values/address.js';
import { emailProblem } from '../../values/email.js';

/** Wrong passwords for one account. The subject is its address. */
export const accountLimit: Limit = { name: 'sign-in-account', points: 10, seconds: 15 * 60 };
/** The same for second factors: a new password must not bring further guesses. */
export const factorLimit: Limit = { ...accountLimit, name: 'second-factor-account' };
const perAddress: Limit = { name: 'sign-in-address', points: 100, seconds: 15 * 60 };

interface Attempt {
  /** The normalized address of the account, cut to the maximum length of an address. */
  readonly account: string;
  /** The IP address that the attempt comes from. */
  readonly address: string;
  /** What is tried after the password. Left out: the password itself. */
  readonly factor?: UsedFactor;
}

/** An attempt to sign in, which counts as failed until it is taken back. Both first methods throw `too-many-requests`. */
export interface CountedAttempt {
  /** Counts nothing. */
  check(): Promise<void>;
  /** Counts a failure for the address and the account, before anything is compared. */
  count(): Promise<void>;
  /** Takes back the counted failures. */
  takeBack(): Promise<void>;
  /** Tells the security log that it has failed. */
  recordFailed(): void;
}

/** Wrong passwords, and wrong passkeys and codes, are counted for the account, and all for the network of the address. */
export function countedAttempt(
  {
    limits,
    securityLog,
  }: Uses<'limits.consume' | 'limits.forgive' | 'limits.waitFor' | 'securityLog.record'>,
  { account, address, factor }: Attempt,
): CountedAttempt {
  const subjects = [
    { limit: perAddress, subject: networkOf(address) },
    { limit: factor === undefined ? accountLimit : factorLimit, subject: account },
  ];
  const counted: typeof subjects = [];
  const isAddress = emailProblem('email', account) === null;
  const record = (kind: FailedAttempt['kind']): void =>
    securityLog?.record({
      ...{ kind, address: readAddress(address), account: isAddress ? account : null },
      ...(factor !== undefined && { factor }),
    });
  const refuseAfter = (seconds: number): void => {
    if (seconds === 0) return;
    record('sign-in-refused');
    throw tooManyFailures(seconds);
  };
  return {
    async check() {
      for (const { limit, subject } of subjects) refuseAfter(await limits.waitFor(limit, subject));
    },
    async count() {
      for (const one of subjects) {
        refuseAfter(await limits.consume(one.limit, one.subject));
        counted.push(one);
      }
    },
    async takeBack() {
      for (const { limit, subject } of counted.splice(0)) await limits.forgive(limit, subject);
    },
    recordFailed: () => record('sign-in-failed'),
  };
}

function tooManyFailures(seconds: number): Refusal {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new Refusal('too-many-requests', `Too many failed attempts; try again in ${wait}`, seconds);
}
