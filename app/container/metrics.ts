import { type Metrics, prometheusMetrics } from '@rollcall/node/metrics';
import { keyStates } from '../keys.js';
import { revision, version } from '../version.js';
import { type Bindings, type ContainerValues, provide } from './bindings.js';

export const metricsModule = {
  metrics: provide(
    ['config', 'storageMetrics', 'secretKeyStore', 'keyring', 'clock', 'passwords'],
    (needs) => (needs.config.metrics === null ? null : createMetrics(needs)),
  ),
} satisfies Bindings;

type Needs = Pick<
  ContainerValues,
  'config' | 'storageMetrics' | 'secretKeyStore' | 'keyring' | 'clock' | 'passwords'
>;

export function createMetrics({ storageMetrics, secretKeyStore, keyring, clock, passwords }: Needs): Metrics {
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
