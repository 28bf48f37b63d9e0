import { type Metrics, prometheusMetrics } from '@rollcall/node/metrics';
import { keyStates } from '../keys.js';
import { revision, version } from '../version.js';
import { type Bindings, type ContainerValues, provide } from './bindings.js';

export const metricsModule = {
  metrics: provide(
    ['config', 'storageMetrics', 'secretKeyStore', 'keyring', 'clock', 'passwords'],
    metricsOf,
  ),
} satisfies Bindings;

function metricsOf({
  config,
  storageMetrics,
  secretKeyStore,
  keyring,
  clock,
  passwords,
}: Pick<
  ContainerValues,
  'config' | 'storageMetrics' | 'secretKeyStore' | 'keyring' | 'clock' | 'passwords'
>): Metrics | null {
  if (config.metrics === null) return null;
  return prometheusMetrics({
    version: version(),
    revision: revision(),
    ...storageMetrics,
    async secretKeys() {
      const states = await keyStates({ secretKeyStore, keyring, now: clock.now() });
      return states.map(({ stored, ...state }) => ({ ...state, stored: { ...stored } }));
    },
    now: () => clock.now().getTime(),
    passwordQueue: () => passwords.queue?.() ?? null,
    clockAheadMs: () => clock.aheadMs(),
  });
}
