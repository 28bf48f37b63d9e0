import { type FaultKind, organizations, type Plan } from './plan.js';
import { type Ended, runPlan } from './run-plan.js';
import type { Planted } from './simulation.js';
import { tellPlan } from './story.js';

/** A failure with as little as possible around it. */
export interface Shrunk {
  readonly plan: Plan;
  readonly broken: readonly string[];
  /** What happens, one line a step. */
  readonly story: readonly string[];
}

/** Leaves out whatever the failure does not need. Null: the plan does not fail. */
export async function shrink(plan: Plan, planted: Planted = {}): Promise<Shrunk | null> {
  const first = await runPlan(plan, { planted });
  if (first.broken.length === 0) return null;
  const wanted = new Set(first.broken.map(kindOf));
  const fails = async (candidate: Plan): Promise<boolean> => {
    const { broken } = await runPlan(candidate, { planted }).catch(
      (): Pick<Ended, 'broken'> => ({ broken: [] }),
    );
    return broken.some((text) => wanted.has(kindOf(text)));
  };

  let smallest = withFaults(plan, new Map(first.fired.map(({ key, kind }) => [key, kind])));
  for (let size = 0; size !== sizeOf(smallest); ) {
    size = sizeOf(smallest);
    for (const part of parts) {
      const items = part.of(smallest);
      const kept = await leastOf(items, (some) => fails(part.with(smallest, some)));
      if (kept.length < items.length) smallest = part.with(smallest, kept);
    }
    for (const simplify of simplifications) {
      const simpler = simplify(smallest);
      if (await fails(simpler)) smallest = simpler;
    }
  }

  const lines: string[] = [];
  const { broken } = await runPlan(smallest, { planted, lines });
  return {
    plan: smallest,
    broken,
    story: [...tellPlan(smallest), ...lines, ...broken.map((text) => `Broken: ${text}.`)],
  };
}

/** What of a plan can be left out, piece by piece. */
interface Part {
  of(plan: Plan): readonly unknown[];
  with(plan: Plan, items: readonly unknown[]): Plan;
}

const parts: readonly Part[] = [
  {
    of: ({ actions }) => actions,
    with: (plan, actions) => ({ ...plan, actions: actions as Plan['actions'] }),
  },
  {
    of: ({ faults }) => [...(faults as ReadonlyMap<number, FaultKind>)],
    with: (plan, faults) => withFaults(plan, new Map(faults as [number, FaultKind][])),
  },
  {
    of: ({ crashes }) => crashes,
    with: (plan, crashes) => ({ ...plan, crashes: crashes as Plan['crashes'] }),
  },
  {
    of: ({ freezes }) => freezes,
    with: (plan, freezes) => ({ ...plan, freezes: freezes as Plan['freezes'] }),
  },
  {
    of: ({ outages }) => outages,
    with: (plan, outages) => ({ ...plan, outages: outages as Plan['outages'] }),
  },
];

function withFaults(plan: Plan, faults: ReadonlyMap<number, FaultKind>): Plan {
  return { ...plan, faults };
}

function sizeOf(plan: Plan): number {
  return parts.reduce((sum, part) => sum + part.of(plan).length, 0);
}

/** Leaves out halves, then quarters, and so on down to single items, as long as the rest still fails. */
async function leastOf<Item>(
  items: readonly Item[],
  fails: (some: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let kept = items;
  for (let size = Math.ceil(items.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (fewer.length < kept.length && (await fails(fewer))) kept = fewer;
      else from += size;
    }
  }
  return kept;
}

/** Each makes one thing as it usually is. */
const simplifications: readonly ((plan: Plan) => Plan)[] = [
  (plan) => ({ ...plan, clocks: plan.clocks.map(() => 0) }),
  (plan) => ({ ...plan, hears: plan.hears.map(() => false) }),
  (plan) => ({ ...plan, webhooks: plan.webhooks.map(() => 'on') }),
  (plan) => ({ ...plan, actions: plan.actions.map((action) => ({ ...action, repeats: false })) }),
  (plan) => ({ ...plan, actions: plan.actions.map((action) => ({ ...action, timeLimit: 30_000 })) }),
  ...organizations.map((org) => (plan: Plan) => ({
    ...plan,
    receivers: plan.receivers.map((receiver, index) =>
      index === org - 1 ? { fails: 0, stalls: 0, kills: 0 } : receiver,
    ),
  })),
];

/** The first sentence without the names and numbers in it. */
export function kindOf(broken: string): string {
  return (broken.split('\n')[0] ?? '')
    .slice(0, 300)
    .replace(/\S*\d\S*/g, '')
    .replace(/\b\w+@\S+/g, '')
    .replace(/\s+/g, ' ');
}
