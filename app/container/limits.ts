import type { Limits } from '@rollcall/core';
import { memoryLimits } from '@rollcall/node';
import type { Metrics } from '@rollcall/node/metrics';
import { type Bindings, provide } from './bindings.js';

export const limitsModule = {
  limits: provide(['sharedLimits', 'clock', 'metrics'], ({ sharedLimits, clock, metrics }) =>
    observed(metrics, sharedLimits?.(clock) ?? memoryLimits()),
  ),
  visitCounts: provide(['metrics'], ({ metrics }) => observed(metrics, memoryLimits())),
} satisfies Bindings;

function observed(metrics: Metrics | null, limits: Limits): Limits {
  return metrics === null ? limits : metrics.observeLimits(limits);
}
