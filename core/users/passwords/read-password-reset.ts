import type { Uses } from '../../deps.js';
import { findUsablePasswordReset } from './password-reset.js';

/** The request of `readPasswordReset`. */
export interface ReadPasswordReset {
  /** The token from the link's URL, as received. */
  readonly token: string;
}

/**
 * Checks a link to set a new password for its page, without using it.
 *
 * @throws `Refusal` `password-reset-ended`.
 */
export async function readPasswordReset(
  deps: Uses<typeof findUsablePasswordReset>,
  { token }: ReadPasswordReset,
): Promise<{ readonly email: string }> {
  const { user } = await findUsablePasswordReset(deps, token);
  return { email: user.email };
}
