import { Refusal } from '../../errors.js';
import type { Problem } from '../../values/problem.js';

export function wrongCredentials(
  reason: string | readonly Problem[] = 'The email address or password is wrong',
): Refusal {
  return new Refusal('wrong-credentials', reason);
}
