import { memoryLimits } from '@rollcall/node';
import { type Bindings, provide } from './bindings.js';

export const limitsModule = {
  limits: provide(
    ['sharedLimits', 'clock'],
    ({ sharedLimits, clock }) => sharedLimits?.(clock) ?? memoryLimits(),
  ),
  visitCounts: provide([], () => memoryLimits()),
} satisfies Bindings;
