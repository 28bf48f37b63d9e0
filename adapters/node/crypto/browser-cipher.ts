import type { Clock } from '@rollcall/core';
import { decryptText, encryptText } from './encrypted-text.js';
import type { Keyring } from './keyring.js';

/** Encrypts short texts that browsers keep for the service. Nothing is stored, and all instances agree. */
export interface BrowserCipher {
  /** `context` says what the text is for. Cannot be decrypted after `expiresIn` seconds. */
  encrypt(input: { readonly text: string; readonly context: string; readonly expiresIn: number }): string;
  /** Null for a text that has expired, is for another context, or was not encrypted here. */
  decrypt(input: { readonly encrypted: string; readonly context: string }): string | null;
}

export function browserCipher(keyring: Keyring, clock: Clock): BrowserCipher {
  return {
    encrypt({ text, context, expiresIn }) {
      const { id, keys } = keyring.current;
      const expiresAt = clock.now().getTime() + expiresIn * 1000;
      return `${id}.${encryptText(keys.browser, { text: `${expiresAt} ${text}`, context })}`;
    },
    decrypt({ encrypted, context }) {
      const [keyId = '', rest = ''] = encrypted.split('.', 2);
      const master = keyring.byId(keyId);
      if (master === null) return null;
      const decrypted = decrypt(master.keys.browser, { encrypted: rest, context });
      const [, expiresAt, text = ''] = /^(\d+) (.*)$/s.exec(decrypted ?? '') ?? [];
      return Number(expiresAt) > clock.now().getTime() ? text : null;
    },
  };
}

/** Anyone can send anything, so a text that can't be decrypted is expected. */
function decrypt(...input: Parameters<typeof decryptText>): string | null {
  try {
    return decryptText(...input);
  } catch {
    return null;
  }
}
