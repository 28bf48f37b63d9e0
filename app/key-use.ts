import type { Clock } from '@rollcall/core';
import type { Keyring, Logger } from '@rollcall/node';
import { ConfigurationError } from './config/configuration-error.js';
import { findKeyDependents, KEY_USE_INTERVAL_MS, keyStates } from './keys.js';
import type { Part } from './part.js';
import type { SecretKeyStore } from './secret-key-store.js';

export interface KeyUseOptions {
  readonly secretKeyStore: SecretKeyStore;
  readonly keyring: Keyring;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  readonly intervalMs?: number;
}

/** Checks the secret keys at the start. While the service runs, records that the current key is in use. */
export function createKeyUse(options: KeyUseOptions): Part {
  const { secretKeyStore, keyring, clock, intervalMs = KEY_USE_INTERVAL_MS } = options;
  const record = (): Promise<void> =>
    secretKeyStore.recordUse({ keyId: keyring.current.id, at: clock.now() });
  let timer: NodeJS.Timeout | undefined;
  return {
    async start() {
      await adoptKey(options);
      await warnAboutKeys(options);
      await record();
      // While the database is unreachable, nothing is recorded. The next interval catches up.
      timer = setInterval(() => void record().catch(() => undefined), intervalMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await record().catch(() => undefined);
    },
  };
}

/** Refuses data that was made with another secret key: its keys, links and webhook secrets could not be read. */
export async function adoptKey({
  secretKeyStore,
  keyring: { current, all },
}: Pick<KeyUseOptions, 'secretKeyStore' | 'keyring'>): Promise<void> {
  const known = all.map(({ id }) => id);
  if (await secretKeyStore.adopt({ current: current.id, known, at: new Date() })) return;
  const message =
    'this database was used with another key; set that one, or name it in SECRET_KEY_PREVIOUS to replace it';
  throw new ConfigurationError([{ name: 'SECRET_KEY', message }]);
}

/** Warns about a key that is needed and not configured, and about a previous key that nothing needs. */
async function warnAboutKeys({ secretKeyStore, keyring, clock, log }: KeyUseOptions): Promise<void> {
  const now = clock.now();
  const states = await keyStates({ secretKeyStore, keyring, now });
  for (const { keyId, role, stored, canBeDropped } of states) {
    if (role === 'missing') {
      const { named, hasMore } = await findKeyDependents(secretKeyStore, { keyId, now });
      const organizations = named.map(({ id, name }) => ({ id, name }));
      log.warn(
        { keyId, stored, organizations, hasMore },
        'Something stored needs a secret key that is not configured: its webhooks fail, its access keys are refused. See: rollcall keys',
      );
    }
    if (role === 'previous' && canBeDropped)
      log.warn({ keyId }, 'Nothing needs this key of SECRET_KEY_PREVIOUS any more: it can be left out');
  }
}
