import { Refusal } from '../errors.js';

export function sessionBound(): Refusal {
  return new Refusal('session-bound', 'A login link opens meetings only: sign in with your password first');
}
