import { readdirSync, readFileSync } from 'node:fs';

/** The nice values of the threads of a process on Linux. A higher value means a lower priority. */
export function threadPriorities(process: number | 'self'): readonly number[] {
  return readdirSync(`/proc/${process}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${process}/task/${thread}/stat`, 'utf8');
    // The name of the thread, in parentheses, may contain spaces. The 17th field after it is the nice value.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}
