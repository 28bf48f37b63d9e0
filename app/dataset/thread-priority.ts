import { stat } from 'node:fs/promises';
import { getPriority, platform, setPriority } from 'node:os';

/** The scheduler gives a thread of this priority a tenth of the time of a usual one, when both want the same core. */
const LOWER_BY = 10;
const LOWEST = 19;

/**
 * Lets the other threads of the process go first whenever they want to run. Works only on Linux, where each thread has its
 * own priority; elsewhere the whole process would be slowed down. A thread can't raise its priority again.
 */
export async function lowerThreadPriority(): Promise<void> {
  if (platform() !== 'linux') return;
  try {
    // Node's threads for files, names and hashes serve the whole process. They start with their first task, and would
    // inherit the lower priority.
    await stat('/');
    setPriority(Math.min(getPriority() + LOWER_BY, LOWEST));
  } catch {
    // A sandbox may forbid either. Imports then compete with requests.
  }
}
