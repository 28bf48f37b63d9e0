import type { Uses } from '../../deps.js';
import type { SignOnConfirmation } from '../sign-on/finish-sign-on.js';
import type { User } from '../user.js';
import { type AskedPasskey, askPasskey } from './ask-passkey.js';
import { hasSecondFactor } from './second-factor.js';
import { type PendingSignIn, pendingUser } from './second-step.js';

/**
 * The request of `askSecondFactor`: someone who is signed in, whose password was right, or whom an identity provider has
 * identified as a member.
 */
export type AskSecondFactor =
  | { readonly user: User }
  | { readonly pending: PendingSignIn }
  | { readonly confirmation: Pick<SignOnConfirmation, 'organizationId' | 'userId' | 'isProved'> };

/** What to ask a person for. */
export interface AskedSecondFactor {
  /** Whose second factor it is. */
  readonly user: User;
  /** The question to the browser; null: there are no passkeys, or the service checks none. */
  readonly passkey: AskedPasskey | null;
  /** Whether the user has an app that makes codes. */
  readonly hasCode: boolean;
}

/**
 * What a person has to give as the second factor; null: they have none, or have not proved who they are.
 *
 * @throws `Refusal` `second-step-ended`.
 */
export async function askSecondFactor(
  deps: Uses<'secondFactors.of' | typeof askedUser | typeof askPasskey>,
  request: AskSecondFactor,
): Promise<AskedSecondFactor | null> {
  const user = await askedUser(deps, request);
  if (user === null) return null;
  const stored = await deps.secondFactors.of(user.id);
  if (!hasSecondFactor(stored)) return null;
  const { passkeys, code } = stored;
  const passkey = passkeys.length === 0 ? null : askPasskey(deps, { user, to: 'use', passkeys });
  return { user, passkey, hasCode: code !== null && code.confirmedAt !== null };
}

async function askedUser(
  deps: Uses<'members.byUserId' | typeof pendingUser>,
  request: AskSecondFactor,
): Promise<User | null> {
  if ('user' in request) return request.user;
  if ('pending' in request) return (await pendingUser(deps, request.pending)).user;
  const { organizationId, userId, isProved } = request.confirmation;
  if (!isProved) return null;
  return (await deps.members.byUserId({ organizationId, userId }))?.user ?? null;
}
