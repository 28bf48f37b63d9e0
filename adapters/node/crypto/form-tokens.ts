import { sameText } from './compare.js';
import { keyedHash } from './keyed-hash.js';
import type { Keyring } from './keyring.js';

/** Tokens against forged forms (CSRF). Each token is valid for one cookie only. */
export interface FormTokens {
  issue(cookieValue: string): string;
  matches(cookieValue: string, token: string): boolean;
}

/** Derives form tokens from the cookie, so that nothing is stored and all instances agree. */
export function formTokens(keyring: Keyring): FormTokens {
  return {
    issue: (cookieValue) => keyedHash(keyring.current, 'form', cookieValue),
    matches(cookieValue, token) {
      const [keyId = ''] = token.split('.', 1);
      const master = keyring.byId(keyId);
      return master !== null && sameText(token, keyedHash(master, 'form', cookieValue));
    },
  };
}
