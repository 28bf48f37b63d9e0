import { readFileSync } from 'node:fs';

/** Megabytes of a process, as Linux tells them: those it has now, or the most it has had. 0 if it has ended. */
export function memoryOf(pid: number | undefined, what: 'now' | 'peak' = 'now'): number {
  const line = what === 'now' ? /^VmRSS:\s+(\d+) kB$/m : /^VmHWM:\s+(\d+) kB$/m;
  try {
    return Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
