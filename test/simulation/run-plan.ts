import type { Core, Delivery, RecordedEvent, WebhookHealth } from '@rollcall/core';
import { check } from './checker.js';
import { createClients } from './clients.js';
import { coreFor } from './cores.js';
import type { History } from './history.js';
import { createInstance } from './instance.js';
import { organizations, type Plan } from './plan.js';
import { createWorld, type FiredFault, type Planted, START_MS, type World } from './world.js';

/** How a run ended. */
export interface Ended {
  /** The promises that were broken; empty if none was. */
  readonly broken: readonly string[];
  readonly steps: number;
  /** The calls that went wrong by intention. */
  readonly fired: readonly FiredFault[];
  readonly history: History;
}

/** What one organization has in the end, as the API shows it. */
export interface Final {
  readonly org: number;
  readonly events: readonly RecordedEvent[];
  readonly deliveries: readonly Delivery[];
  /** The addresses of the members. */
  readonly members: readonly string[];
  readonly health: WebhookHealth;
  /** What each reader of the feed gets from its cursor to the end. */
  readonly rest: ReadonlyMap<string, readonly string[]>;
}

const SETTLE_MS = 15 * 60_000;

/** Runs the plan, then waits until nothing is under way, and checks everything. */
export async function runPlan(
  plan: Plan,
  { planted = {}, lines = null }: { readonly planted?: Planted; readonly lines?: string[] | null } = {},
): Promise<Ended> {
  const world = createWorld(plan, planted, lines);
  const { scheduler, history } = world;
  const instances = plan.clocks.map((_, index) => createInstance(world, index));
  const clients = createClients(world, instances);
  await load(world);
  const core = calmCore(world);
  await clients.prepare(core);
  world.isCalm = false;

  let underWay = 0;
  for (const action of plan.actions) {
    scheduler.after(action.at, { key: 0, host: null, calls: 0 }, () => {
      underWay += 1;
      clients.act(action).then(
        () => {
          underWay -= 1;
        },
        (error: unknown) => {
          history.bugs.push(error instanceof Error ? (error.stack ?? '') : String(error));
        },
      );
    });
  }
  for (const { instance, at, downFor } of plan.crashes)
    scheduler.after(at, { key: 0, host: null, calls: 0 }, () => instances[instance]?.crash(downFor));
  const end = Math.max(
    0,
    ...plan.actions.map(({ at }) => at),
    ...plan.crashes.map(({ at }) => at),
    ...plan.outages.map(({ to }) => to),
  );
  world.peaceAt = end + 20_000;
  const isOver = (): boolean => scheduler.now() > end && underWay === 0 && !isBusy(world);
  const isSettled = await scheduler.run({ time: end + SETTLE_MS, every: 500, isDone: isOver });
  world.isCalm = true;
  const finals = await Promise.all(organizations.map((org) => lookAt(core, org, clients.cursorsOf(org))));
  const broken = check({ plan, history, finals, isSettled, storedText: storedText(world) });
  return { broken, steps: scheduler.tick(), fired: world.fired, history };
}

/** Asked to know when to look: looking earlier would only show what is under way. */
function isBusy({ state }: World): boolean {
  for (const delivery of state.deliveries.values())
    if (delivery.state === 'pending' || delivery.state === 'sending') return true;
  return false;
}

/** Empty if nobody was erased, because only then it matters. */
function storedText({ state, history }: World): string {
  if (!history.ops.some(({ did }) => did === 'erase')) return '';
  return JSON.stringify(Object.values(state), (_, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
}

async function load({ state }: World): Promise<void> {
  for (const id of organizations)
    state.organizations.set(id, {
      id,
      name: `Organization ${id}`,
      eap: false,
      timeZone: null,
      accessKeyGeneration: 0,
      previousAccessKey: null,
      accessKeyHash: null,
      accessKeyCreatedAt: null,
      accessKeyUsedAt: null,
      previousHash: null,
      previousUsedAt: null,
    });
}

/** A core without an instance, which reaches the storage at once. */
function calmCore(world: World): Core {
  return coreFor(-1, {
    world,
    shared: world.shared,
    dispatcher: { wake() {} },
    webhookSender: {
      refusalOf: () => null,
      send: () => Promise.reject(new Error('sent in a calm world')),
    },
    clock: { now: () => new Date(START_MS + Math.floor(world.scheduler.now())), pause: async () => {} },
    callStorage: null,
  });
}

async function lookAt(
  core: Core,
  org: number,
  cursors: ReadonlyMap<string, string | undefined>,
): Promise<Final> {
  const organization = { id: org };
  const { events } = await core.readEvents({ organization, limit: 1_000 });
  const { deliveries } = await core.listDeliveries({ organization, limit: 1_000 });
  const { items } = await core.listUsers({ organization, limit: 100 });
  const rest = new Map<string, readonly string[]>();
  for (const [reader, after] of cursors) {
    const page = await core.readEvents({ organization, after, limit: 1_000 });
    rest.set(
      reader,
      page.events.map(({ body }) => body),
    );
  }
  const health = await core.readWebhookHealth({ organization });
  return { org, events, deliveries, members: items.map(({ user }) => user.email), health, rest };
}
