import { describe, test } from 'node:test';
import { limitsSuite, passwordsSuite, secretsSuite, tokensSuite } from '@rollcall/core/testing';
import { createKeyring } from '#adapters/crypto/keyring.js';
import { argon2Passwords } from '#adapters/crypto/passwords.js';
import { keyedSecrets } from '#adapters/crypto/secrets.js';
import { jwtTokens } from '#adapters/crypto/tokens.js';
import { memoryLimits } from '#adapters/system/limits.js';

describe('Secrets, tokens, passwords and limits as they run keep the promises', () => {
  const keyring = createKeyring({
    secretKey: 'a secret key of at least 32 characters',
    previousSecretKeys: [],
  });
  const suites = [
    ...secretsSuite(async () => keyedSecrets(keyring)),
    ...tokensSuite(async () => jwtTokens(keyring)),
    ...passwordsSuite(async () => argon2Passwords()),
    ...limitsSuite(async () => memoryLimits()),
  ];
  for (const { name, run } of suites) test(name, run);
});
