import { type Pace, type Plan, planOf } from '../simulation/plan.js';

/** A plan of the simulation in real time. Actions that would come later are left out. */
export function limitedPlan(
  seed: number,
  { pace, maxMs }: { readonly pace: Pace; readonly maxMs: number },
): Plan {
  const plan = planOf(seed, pace);
  return { ...plan, actions: plan.actions.filter(({ at }) => at <= maxMs) };
}
