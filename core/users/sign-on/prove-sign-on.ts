import type { Limit } from '../../access/ports/limits.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import type { Secret } from '../../values/secret.js';
import { checkPasswordOf } from '../sessions/check-password.js';
import { wrongCredentials } from '../sessions/wrong-credentials.js';
import type { SignOnConfirmation } from './finish-sign-on.js';
import { isTooOld } from './identify.js';
import { notAdmitted, signOnEnded } from './sign-on.js';

/** The request of `proveSignOn`. */
export interface ProveSignOn {
  /** What `finishSignOn` returned, as the person's browser has kept it. */
  readonly confirmation: SignOnConfirmation;
  /** The password of the member's account, or the code that `mailSignOnCode` mailed to them. */
  readonly proof: { readonly password: Secret } | { readonly code: string };
  /** The IP address of the caller; wrong passwords are counted for it, and wrong codes for the member. */
  readonly address: string;
}

/**
 * Checks that the person is the member who they say they are. Returns the confirmation that says so, to be kept as the one
 * before it: nobody is told before whether that member has a second factor, and which.
 *
 * @throws `Refusal`: `sign-on-not-admitted`; `sign-on-ended`; `wrong-credentials`; `too-many-requests` after too many wrong passwords or codes.
 */
export async function proveSignOn(
  deps: Uses<'clock.now' | 'members.byUserId' | typeof checkPasswordOf>,
  { confirmation, proof, address }: ProveSignOn,
): Promise<SignOnConfirmation> {
  const { organizationId, userId } = confirmation;
  const member = await deps.members.byUserId({ organizationId, userId });
  if (member === null) throw notAdmitted();
  if (isTooOld(deps, confirmation)) throw signOnEnded();
  if ('code' in proof) await checkCode(deps, confirmation, proof.code);
  else
    await checkPasswordOf(deps, member.user, {
      ...{ password: proof.password, address, wrongReason: 'The password is wrong' },
    });
  return { ...confirmation, code: null, isProved: true };
}

const perMember: Limit = { name: 'sign-on-code', points: 5, seconds: 15 * 60 };

/** Each try counts, so that nobody finds the code by trying. */
async function checkCode(
  { limits }: Uses<'limits.consume'>,
  { code, organizationId, userId }: SignOnConfirmation,
  typed: string,
): Promise<void> {
  const seconds = await limits.consume(perMember, `${organizationId}/${userId}`);
  if (seconds > 0) throw new Refusal('too-many-requests', 'Too many wrong codes; try again later', seconds);
  if (code === null || typed.replaceAll(/\s/g, '') !== code) throw wrongCredentials('The code is wrong');
}
