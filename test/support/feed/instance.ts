import { type ForkedInstance, forkInstance } from '../forked-instance.js';
import type { Fault, Result, Task } from './messages.js';

/** An instance in a process of its own. */
export type Instance = ForkedInstance<Task, Result>;

export interface StartInstance {
  readonly url: string;
  readonly fault?: Fault | undefined;
}

export function startInstance({ url, fault }: StartInstance): Promise<Instance> {
  const program = new URL(import.meta.resolve('#app/bundle/feed-process.js'));
  return forkInstance(program, [url, ...(fault === undefined ? [] : [fault])]);
}
