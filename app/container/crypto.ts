import {
  argon2Passwords,
  browserCipher,
  createKeyring,
  formTokens,
  jwtTokens,
  type Keyring,
  keyedSecrets,
  listedCommonPasswords,
} from '@rollcall/node';
import type { Config } from '../config.js';
import { type Bindings, provide } from './bindings.js';

export const cryptoModule = {
  keyring: provide(['config'], ({ config }) => keyringOf(config)),
  tokens: provide(['keyring'], ({ keyring }) => jwtTokens(keyring)),
  secrets: provide(['keyring', 'config'], ({ keyring, config }) =>
    keyedSecrets(keyring, { accessKeyPrefix: config.accessKeyPrefix }),
  ),
  formTokens: provide(['keyring'], ({ keyring }) => formTokens(keyring)),
  browserCipher: provide(['keyring', 'ports'], ({ keyring, ports }) => browserCipher(keyring, ports.clock)),
  passwords: provide([], () => argon2Passwords()),
  commonPasswords: provide([], () => listedCommonPasswords()),
} satisfies Bindings;

function keyringOf({ secretKey, previousSecretKeys }: Config): Keyring {
  return createKeyring({
    secretKey: secretKey.reveal(),
    previousSecretKeys: previousSecretKeys.map((key) => key.reveal()),
  });
}
