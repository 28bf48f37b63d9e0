import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  commonPasswordsSuite,
  limitsSuite,
  passwordsSuite,
  rotatedSecretsSuite,
  rotatedTokensSuite,
  type SecretKeys,
  secretsSuite,
  tokensSuite,
} from '@rollcall/core/testing';
import { listedCommonPasswords } from '#adapters/node/crypto/common-passwords.js';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { argon2Passwords } from '#adapters/node/crypto/passwords.js';
import { keyedSecrets } from '#adapters/node/crypto/secrets.js';
import { jwtTokens } from '#adapters/node/crypto/tokens.js';
import { memoryLimits } from '#adapters/node/system/limits.js';

describe('The production secrets, tokens, passwords and limits keep the promises', () => {
  const keyring = ({ current, previous }: SecretKeys) =>
    createKeyring({ secretKey: current, previousSecretKeys: previous });
  const suites = [
    ...secretsSuite(async (keys) => keyedSecrets(keyring(keys))),
    ...rotatedSecretsSuite(async (keys) => keyedSecrets(keyring(keys))),
    ...tokensSuite(async (keys) => jwtTokens(keyring(keys))),
    ...rotatedTokensSuite(async (keys) => jwtTokens(keyring(keys))),
    ...passwordsSuite(async () => argon2Passwords()),
    ...commonPasswordsSuite(async () => listedCommonPasswords()),
    ...limitsSuite(async () => ({ limits: memoryLimits(), pass: pause })),
  ];
  for (const { name, run } of suites) test(name, run);
});
