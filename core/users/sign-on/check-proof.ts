import type { Limit } from '../../access/ports/limits.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import type { Secret } from '../../values/secret.js';
import type { Member } from '../ports/members.js';
import { checkPasswordOf } from '../sessions/check-password.js';
import { wrongCredentials } from '../sessions/wrong-credentials.js';
import type { SignOnConfirmation } from './finish-sign-on.js';

/** The password of the member's account, or the code that `mailSignOnCode` mailed to them. */
export type SignOnProof = { readonly password: Secret } | { readonly code: string };

/** Throws a `Refusal` if it is wrong. */
export async function checkProof(
  deps: Parameters<typeof checkPasswordOf>[0] & Uses<'limits.consume'>,
  { user }: Member,
  {
    confirmation,
    proof,
    address,
  }: {
    readonly confirmation: SignOnConfirmation;
    readonly proof: SignOnProof;
    readonly address: string;
  },
): Promise<void> {
  if ('code' in proof) return checkCode(deps, confirmation, proof.code);
  const { password } = proof;
  await checkPasswordOf(deps, user, { password, address, wrongReason: 'The password is wrong' });
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
