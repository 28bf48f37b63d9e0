#!/usr/bin/env bash
# After an update to otplib 13, members who set up their authenticator before it cannot sign in; whoever sets one up now can.
#
# Library    otplib 13.5.0, @otplib/v12-adapter 13.4.0 and otplib 12.0.1; otpauth 9.5.2 takes both secrets
# Behaviour  A secret stays with a member for years, so one expects a new version to check codes of old ones. Version 12 makes secrets
#            of 10 bytes if it is told nothing, and 13 wants 16: it refuses to check with shorter ones. The adapter that keeps
#            the calls of 12 hides that: `check` answers false, as for a mistyped code, so members are told that their code is
#            wrong. All tests pass whose secrets are made afresh. `createGuardrails({ MIN_SECRET_BYTES: 10 })` helps, at each call.
# Source     RFC 4226 section 4 (R6: at least 128 bits), otplib's types (`createGuardrails`), and the output below, seen on Node
#            20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund otplib@13.5.0 old@npm:otplib@12.0.1 otpauth@9.5.2 v12@npm:@otplib/v12-adapter@13.4.0
cat >try.mjs <<'JS'
import old from 'old';
import { Secret, TOTP } from 'otpauth';
import { createGuardrails, generateSecret, verify } from 'otplib';
import { authenticator } from 'v12';

// A code is good for half a minute: the next one is waited for if little is left.
if (Date.now() % 30_000 > 28_000) await new Promise((passed) => setTimeout(passed, 2_000));

const lower = createGuardrails({ MIN_SECRET_BYTES: 10 });
async function tell(name, work) {
  console.log(`  ${name}: ${await work().catch((error) => `${error.name}, ${error.message}`)}`);
}

for (const [by, secret] of [['otplib 12', old.authenticator.generateSecret()], ['otplib 13', generateSecret()]]) {
  console.log(`a secret of ${by}, ${secret.length} characters`);
  const token = old.authenticator.generate(secret);
  await tell('otplib 12', async () => old.authenticator.check(token, secret));
  await tell('otplib 13', async () => (await verify({ secret, token })).valid);
  await tell('the adapter for 12', async () => authenticator.check(token, secret));
  await tell('otplib 13, lower limit', async () => (await verify({ secret, token, guardrails: lower })).valid);
  await tell('otpauth', async () => new TOTP({ secret: Secret.fromBase32(secret) }).validate({ token }) === 0);
}
JS
diff - <(node try.mjs) <<'SEEN'
a secret of otplib 12, 16 characters
  otplib 12: true
  otplib 13: SecretTooShortError, Secret must be at least 16 bytes (128 bits), got 10 bytes
  the adapter for 12: false
  otplib 13, lower limit: true
  otpauth: true
a secret of otplib 13, 32 characters
  otplib 12: true
  otplib 13: true
  the adapter for 12: true
  otplib 13, lower limit: true
  otpauth: true
SEEN
echo 'as described'
