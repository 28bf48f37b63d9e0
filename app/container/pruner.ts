import { createPruner } from '../pruner.js';
import { type Bindings, provide } from './bindings.js';

export const prunerModule = {
  pruner: provide(
    ['prune', 'clock', 'log', 'errorTracker', 'config'],
    ({ config: { deliveryRetentionDays, eventRetentionDays }, ...options }) =>
      createPruner({ ...options, deliveryRetentionDays, eventRetentionDays }),
  ),
} satisfies Bindings;
