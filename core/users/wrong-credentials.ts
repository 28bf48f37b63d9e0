import { Refusal } from '../errors.js';

export function wrongCredentials(message = 'The e-mail address or the password is wrong'): Refusal {
  return new Refusal('wrong-credentials', message);
}
