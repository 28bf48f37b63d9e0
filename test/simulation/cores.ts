import {
  type Clock,
  type Core,
  createCore,
  type Dispatcher,
  type Ports,
  type WebhookSender,
} from '@rollcall/core';
import { memoryPorts } from '@rollcall/core/testing';
import type { SharedPorts, Simulation } from './simulation.js';

/** What a core of the simulation works with at the moment. */
export interface Surroundings {
  readonly simulation: Simulation;
  readonly shared: SharedPorts;
  readonly dispatcher: Dispatcher;
  readonly webhookSender: WebhookSender;
  readonly clock: Clock;
  /** Calls the storage. Null: at once. */
  readonly callStorage: ((name: string, work: () => Promise<unknown>) => Promise<unknown>) | null;
}

/** No port has a method with more arguments. */
type Method = (first?: unknown, second?: unknown, third?: unknown) => unknown;

const cores = new Map<number, { readonly core: Core; use(surroundings: Surroundings): void }>();

/**
 * A core for the instance. Making one checks every setting, which takes longer than a whole run. A core keeps nothing
 * between calls, so the runs take turns with a few.
 */
export function coreFor(index: number, surroundings: Surroundings): Core {
  const found = cores.get(index) ?? makeCore();
  cores.set(index, found);
  found.use(surroundings);
  return found.core;
}

function makeCore() {
  let current: Surroundings | null = null;
  const used = (): Surroundings => {
    if (current === null) throw new Error('This core has not been given to a run');
    return current;
  };
  const forward = (port: string, method: string): Method => {
    if (port === 'dispatcher' || port === 'webhookSender' || port === 'clock')
      return (first, second) => methodOf(used()[port], method)(first, second);
    if (port === 'secrets' || port === 'tokens' || port === 'passwords')
      return (first, second) => methodOf(used().simulation[port], method)(first, second);
    if (port === 'ids') return () => used().simulation.nextUuid();
    const name = `${port}.${method}`;
    return (first, second, third) => {
      const { shared, callStorage } = used();
      const work = () =>
        methodOf(shared[port as keyof SharedPorts], method)(first, second, third) as Promise<unknown>;
      return callStorage === null ? work() : callStorage(name, work);
    };
  };
  // The list of common passwords never changes, so all runs share one.
  const { commonPasswords, ...stateful } = memoryPorts().ports;
  const ports: Record<string, object> = { commonPasswords };
  for (const [port, methods] of Object.entries(stateful)) {
    const forwarded: Record<string, unknown> = {};
    for (const [method, value] of Object.entries(methods as object))
      forwarded[method] = typeof value === 'function' ? forward(port, method) : value;
    ports[port] = forwarded;
  }
  const core = createCore(ports as unknown as Ports, {
    links: {
      invitation: (token) => token.reveal(),
      login: (token) => token.reveal(),
      defaultAvatar: '',
    },
  });
  return {
    core,
    use(surroundings: Surroundings): void {
      current = surroundings;
    },
  };
}

function methodOf(port: object, method: string): Method {
  return (port as Record<string, Method>)[method] as Method;
}
