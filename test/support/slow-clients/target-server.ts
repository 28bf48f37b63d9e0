import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, run, start } from '../app-cli.js';
import { memoryOf } from '../process-memory.js';

export const accessKey = '1'.repeat(24);
/** The most that a phase may take, whatever the server does. */
export const MAX_RUN_MS = 180_000;
/** The size of the export: more than all buffers between server and client hold. */
export const ROWS = 5_000;
const ROW_BYTES = 6_000;

export type TargetServer = Awaited<ReturnType<typeof startTargetServer>>;

/** A real `serve` with one organization, whose export is large. */
export async function startTargetServer(cwd: string) {
  const imported = await run(['import', '-'], { cwd, input: [...records()].join('\n') });
  if (imported.code !== 0) throw new Error(imported.stderr);
  const port = await freePort();
  const running = start(['serve'], { cwd, env: { PORT: String(port) } });
  await running.see(/"msg":"Listening"/);
  return { running, port, pid: running.child.pid ?? 0 };
}

function* records(): Generator<string> {
  yield JSON.stringify({ kind: 'organization', id: 1, name: 'Northwind', access_key: accessKey });
  const names = { first_name: 'Dana', last_name: 'Kim' };
  const uuid = '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0001';
  yield JSON.stringify({ kind: 'user', id: 1, uuid, email: 'dana@example.test', ...names });
  yield JSON.stringify({
    kind: 'membership',
    organization_id: 1,
    user_id: 1,
    role: 'member',
    idp_id: 'idp-0',
  });
  const meeting_description = 'long '.repeat(ROW_BYTES / 5);
  for (let id = 1; id <= ROWS; id += 1) {
    yield JSON.stringify({
      kind: 'meeting',
      id,
      organization_id: 1,
      name: `Meeting ${id}`,
      meeting_type: 'Group',
      start_time: new Date(Date.UTC(2025, 0, 1) + id * 60_000).toISOString(),
      duration: 60,
      status: 'complete',
      location: 'zoom',
      meeting_description,
    });
  }
}

/** The number of the process's sockets, including the one that listens. */
export function socketsOf(pid: number): number {
  const targets = readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith('socket:')).length;
}

/** Waits until the process has at most this number of sockets; false if it takes too long. */
export async function untilSockets(pid: number, wanted: number): Promise<boolean> {
  for (const deadline = performance.now() + MAX_RUN_MS; performance.now() < deadline; await pause(100)) {
    if (socketsOf(pid) <= wanted) return true;
  }
  return false;
}

/** Measures the peak memory of the process from now on, in megabytes. */
export function watchMemory(pid: number) {
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, memoryOf(pid));
  }, 200);
  return {
    stop: () => {
      clearInterval(timer);
      return max;
    },
  };
}
