import type { ClaimedDelivery, DeliveryReport } from '@rollcall/core';
import { createDeliveryRecovery } from '#adapters/node/deliveries/delivery-recovery.js';
import { createDispatcher } from '#adapters/node/deliveries/dispatcher.js';
import { mix } from './chance.js';
import type { Reachable } from './clients.js';
import { coreFor } from './cores.js';
import { deliveryIds, type Process, shortId } from './history.js';
import { withNews } from './news.js';
import { type Caller, callStorage, isAway } from './ports.js';
import { simulatedSender } from './receiver.js';
import { type Flow, type Host, IDLE } from './scheduler.js';
import { coreService, type Service } from './service.js';
import { isBusy, type SharedPorts, type Simulation, START_MS } from './simulation.js';

/** One of the instances. It is down between a crash and its restart. */
export interface Instance extends Reachable {
  crash(downFor: number): void;
  /** Stands still for so many milliseconds: now, or as soon as the storage has given it a delivery. */
  freeze(lasts: number, how: { readonly afterClaim: boolean }): void;
  isFrozen(): boolean;
}

interface Running extends Caller {
  readonly service: Service;
  /** Whether what an earlier process left behind is recovered; no request is accepted before. */
  readonly isReady: () => boolean;
  readonly open: Set<() => void>;
}

const POLL_INTERVAL_MS = 3_000;
/**
 * Of so many turns of a timer, one is taken while nothing waits for it: enough to see a storage that gives something
 * then. Taking all of them would take more than half of the time of a run.
 */
const IDLE_TURNS = 8;
const names = ['Instance A', 'Instance B', 'Instance C'];
const silent = { debug() {}, info() {}, warn() {}, error() {} };

export function createInstance(simulation: Simulation, index: number): Instance {
  const { scheduler, plan } = simulation;
  const name = names[index] ?? `Instance ${index}`;
  let runs = 0;
  let running: Running | null = null;
  /** A freeze that waits for a delivery. */
  let waitingFreeze: number | null = null;

  function start(): void {
    if (running !== null) return;
    runs += 1;
    const key = mix(mix(plan.seed, 77 + index), runs);
    running = startProcess(simulation, {
      index,
      name,
      key,
      crash: () => crash(1_000 + (key % 4_000)),
      onClaim,
    });
    if (runs > 1) simulation.tell(() => `${name} starts again.`);
  }

  function crash(downFor: number): void {
    if (running === null) return;
    simulation.crashes += 1;
    simulation.tell(() => `${name} crashes.`);
    const { open, process } = running;
    running.isAlive = false;
    process.diedAt = scheduler.tick();
    running = null;
    for (const lose of open) lose();
    scheduler.after(downFor, { key: mix(plan.seed, 99), host: null, calls: 0 }, startWhenPossible);
  }

  function freeze(lasts: number): void {
    if (running === null) return;
    const from = scheduler.now();
    const to = Math.max(running.frozenUntil ?? 0, from + lasts);
    simulation.tell(() => `${name} is frozen for ${(lasts / 1_000).toFixed(1)} s.`);
    running.frozenUntil = to;
    running.process.freezes.push({ start: scheduler.tick(), from, to });
  }

  function onClaim(): void {
    if (waitingFreeze === null) return;
    const lasts = waitingFreeze;
    waitingFreeze = null;
    freeze(lasts);
  }

  /** A process that finds the storage away when it starts is started again later. */
  function startWhenPossible(): void {
    if (plan.clocks.length > 1 || !isAway(simulation)) start();
    else scheduler.after(1_000, { key: mix(plan.seed, 98), host: null, calls: 0 }, startWhenPossible);
  }

  start();
  return {
    crash,
    freeze(lasts, { afterClaim }) {
      if (afterClaim) waitingFreeze = lasts;
      else freeze(lasts);
    },
    isFrozen: () => (running?.frozenUntil ?? 0) > scheduler.now(),
    call({ key, timeLimit }, run) {
      simulation.requests += 1;
      const called = running;
      if (called === null || !called.isReady()) return Promise.resolve({ is: 'unreachable' });
      return new Promise((resolve) => {
        const lose = (): void => resolve({ is: 'lost' });
        called.open.add(lose);
        scheduler.after(timeLimit, { key, host: clientOf(called), calls: 0 }, lose);
        scheduler.after(0, { key, host: called, calls: 0 }, () => {
          run(called.service).then(
            (value) => {
              called.open.delete(lose);
              resolve({ is: 'answer', value });
            },
            (error: unknown) => {
              called.open.delete(lose);
              resolve({ is: 'error', error });
            },
          );
        });
      });
    },
  };
}

/** A client of a process goes on while the process is frozen. */
function clientOf(called: Host): Host {
  return {
    get isAlive() {
      return called.isAlive;
    },
  };
}

function startProcess(
  simulation: Simulation,
  {
    index,
    name,
    key,
    crash,
    onClaim,
  }: {
    readonly index: number;
    readonly name: string;
    readonly key: number;
    readonly crash: () => void;
    readonly onClaim: () => void;
  },
): Running {
  const { scheduler, plan, planted } = simulation;
  const process: Process = { instance: index, diedAt: Number.POSITIVE_INFINITY, freezes: [] };
  const caller: Caller = { isAlive: true, process, name, crash };
  const ahead = plan.clocks[index] ?? 0;
  const timeOf = (milliseconds: number): Date =>
    new Date(START_MS + Math.floor(scheduler.now()) + milliseconds);
  let timers = 0;
  const dispatcher = createDispatcher({
    log: silent as never,
    errorTracker: { report: (error) => simulation.history.bugs.push(String(error)) },
    observe: (report) => noteReport(simulation, name, report),
    pollIntervalMs: POLL_INTERVAL_MS,
    ...(planted.dispatcher?.steadyAfterMs === undefined
      ? {}
      : { steadyAfterMs: planted.dispatcher.steadyAfterMs }),
    timers: {
      now: () => scheduler.now(),
      every(milliseconds, run) {
        timers += 1;
        const timerKey = mix(key, timers);
        let ticks = 0;
        let isStopped = false;
        const wait = (after: number): void => {
          ticks += 1;
          const flow: Flow = { key: mix(timerKey, ticks), host: caller, calls: 0 };
          scheduler.after(after, flow, () => {
            if (isStopped) return IDLE;
            wait(milliseconds);
            if (ticks % IDLE_TURNS !== 0 && !isBusy(simulation) && !isAway(simulation)) return IDLE;
            return run();
          });
        };
        wait(milliseconds);
        return () => {
          isStopped = true;
        };
      },
    },
  });
  const core = coreFor(index, {
    simulation,
    shared: withClaimsNoted(simulation, process, onClaim),
    dispatcher,
    webhookSender: simulatedSender(simulation, caller),
    clock: {
      now: () => timeOf(ahead),
      pause: (milliseconds) =>
        new Promise((resolve) => {
          const flow = { key: mix(scheduler.flow().key, 3), host: caller, calls: 0 };
          scheduler.after(milliseconds, flow, resolve);
        }),
    },
    callStorage: (call, work) =>
      callStorage(simulation, caller, call, withNews(simulation, caller, { name: call, work })),
  });
  simulation.ears[index] = plan.hears[index]
    ? { name, host: caller, wake: () => dispatcher.wake() }
    : undefined;
  const recovery = createDeliveryRecovery({ core, isShared: plan.clocks.length > 1, log: silent as never });
  const older = planted.dispatcher?.recoversOlderThanMs;
  const recover =
    older === undefined || recovery.whileRunning === null
      ? recovery.whileRunning
      : async () => void (await core.recoverDeliveries({ olderThanMs: older }));
  let isReady = false;
  const begin = (): void => {
    isReady = true;
    dispatcher.start(core.deliverWebhooks, recover ?? undefined);
  };
  scheduler.after(0, { key: mix(key, 0), host: caller, calls: 0 }, () => {
    // A process that fails to start is started again.
    recovery.atStart().then(begin, crash);
  });
  const service = coreService(core, deliveryIds(simulation.history));
  return Object.assign(caller, { service, isReady: () => isReady, open: new Set<() => void>() });
}

/** Notes which deliveries the storage has given to this process, and which of them it has finished. */
function withClaimsNoted(
  { scheduler, history, shared, plan, planted }: Simulation,
  process: Process,
  onClaim: () => void,
): SharedPorts {
  const { outbox } = shared;
  // Several processes on one storage leave the times of claims to the storage's clock.
  const usesStorageClock = plan.clocks.length > 1 && planted.usesInstanceClocks !== true;
  const timeOr = (at: Date): Date =>
    usesStorageClock ? new Date(START_MS + Math.floor(scheduler.now())) : at;
  const note = ({ eventId, deliveryId, organizationId, claim }: ClaimedDelivery): void => {
    const given = scheduler.tick();
    history.claims.push({
      eventId,
      deliveryId,
      organizationId,
      claim,
      process,
      given,
      finished: null,
      finishedAs: null,
    });
    onClaim();
  };
  const noted: SharedPorts['outbox'] = {
    ...outbox,
    async claim(request) {
      const claimed = await outbox.claim({ ...request, at: timeOr(request.at) });
      for (const delivery of claimed) note(delivery);
      return claimed;
    },
    async startTest(test, journal) {
      const claimed = await outbox.startTest({ ...test, at: timeOr(test.at) }, journal);
      if (claimed !== null) note(claimed);
      return claimed;
    },
    renew: (request) => outbox.renew({ ...request, at: timeOr(request.at) }),
    recoverStale: (request) => outbox.recoverStale({ ...request, at: timeOr(request.at) }),
    async finish(result) {
      const isHeld = await outbox.finish(result);
      const claim = history.claims.find(
        (one) => one.claim === result.claim && one.deliveryId === result.deliveryId,
      );
      if (isHeld && claim !== undefined && claim.finished === null)
        Object.assign(claim, { finished: scheduler.tick(), finishedAs: result.state });
      return isHeld;
    },
  };
  return { ...shared, outbox: noted };
}

function noteReport(
  simulation: Simulation,
  name: string,
  { organizationId, eventId, state, notice }: DeliveryReport,
): void {
  simulation.tell(() => `${name} has recorded event ${shortId(eventId)} as ${state}.`);
  if (notice === null) return;
  simulation.history.notices.push({
    org: organizationId,
    failuresInRow: notice.failuresInRow,
    tick: simulation.scheduler.tick(),
  });
}
