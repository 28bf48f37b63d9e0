import type { ErrorTracker, Ports, StoragePorts } from '@rollcall/core';
import { type BrowserCipher, browserCipher } from './crypto/browser-cipher.js';
import { listedCommonPasswords } from './crypto/common-passwords.js';
import { type FormTokens, formTokens } from './crypto/form-tokens.js';
import { createKeyring } from './crypto/keyring.js';
import { argon2Passwords } from './crypto/passwords.js';
import { keyedSecrets } from './crypto/secrets.js';
import { jwtTokens } from './crypto/tokens.js';
import { createDispatcher, type RunningDispatcher } from './deliveries/dispatcher.js';
import type { Logger } from './logger.js';
import { type PasskeyVerifierSettings, webauthnVerifier } from './second-factor/passkey-verifier.js';
import { openidProvider } from './sign-on/identity-provider.js';
import { systemClock } from './system/clock.js';
import { logErrorTracker } from './system/error-tracker.js';
import { randomIds } from './system/ids.js';
import { memoryLimits } from './system/limits.js';
import { boundedSecurityLog } from './system/security-log.js';
import { gotWebhookSender, type WebhookSenderSettings } from './webhook/sender.js';

export interface NodePortsOptions
  extends Pick<WebhookSenderSettings, 'allowedNetworks' | 'certificateAuthorities'> {
  /** The key from which all other keys are derived, at least 32 characters. */
  readonly secretKey: string;
  /** Earlier secret keys, which still verify and decrypt. */
  readonly previousSecretKeys?: readonly string[] | undefined;
  readonly log: Logger;
  /** The base of the pages, and the name of the service. Left out: nobody can use passkeys. */
  readonly passkeys?: PasskeyVerifierSettings | undefined;
  /** Where unexpected errors are reported. The log by default. */
  readonly errorTracker?: ErrorTracker | undefined;
}

/** Every port of the core except the storage. */
export interface NodePorts extends Omit<Ports, keyof StoragePorts | 'dispatcher'> {
  /** Sends deliveries once `start` is called with `core.deliverWebhooks`. */
  readonly dispatcher: RunningDispatcher;
  /** For `createPages` of `@rollcall/express`. */
  readonly formTokens: FormTokens;
  /** For `createPages` of `@rollcall/express`. */
  readonly browserCipher: BrowserCipher;
}

/**
 * The ports of one process: limits are counted in it, and its clock is the machine's. Several processes on one database
 * need `sqlLimits` and `correctedClock` instead. Throws if a key is too short, or a network or an authority cannot be
 * read.
 */
export function nodePorts({ secretKey, previousSecretKeys, log, ...options }: NodePortsOptions): NodePorts {
  const keyring = createKeyring({ secretKey, previousSecretKeys });
  const errorTracker = options.errorTracker ?? logErrorTracker(log);
  return {
    tokens: jwtTokens(keyring),
    secrets: keyedSecrets(keyring),
    passwords: argon2Passwords(),
    commonPasswords: listedCommonPasswords(),
    webhookSender: gotWebhookSender(options),
    identityProvider: openidProvider({ ...options, clock: systemClock }),
    passkeyVerifier: options.passkeys && webauthnVerifier(options.passkeys),
    dispatcher: createDispatcher({ log, errorTracker }),
    securityLog: boundedSecurityLog(log),
    limits: memoryLimits(),
    clock: systemClock,
    ids: randomIds,
    formTokens: formTokens(keyring),
    browserCipher: browserCipher(keyring, systemClock),
  };
}
