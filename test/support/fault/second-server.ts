import { within } from '../wait.js';
import type { FaultReport } from './audit.js';
import { freePort, linesOf } from './process.js';
import { type FaultSite, prepareSite } from './service.js';

/** How much longer than the slowest earlier start one after a crash may take. A lock that has to expire takes longer. */
const MAX_DELAY_MS = 10_000;
const MAX_REFUSAL_MS = 20_000;

/**
 * In each round, a second server on the same file refuses to start, even while the first one is frozen. Then the first
 * one is killed, and the next one must start at once.
 */
export async function serveTwice({ rounds }: { readonly rounds: number }): Promise<FaultReport> {
  const site = await prepareSite();
  const problems: string[] = [];
  let maxStartMs = 0;
  try {
    let [server, first] = await timedServe(site);
    for (let round = 1; round <= rounds; round += 1) {
      if (round === 1) server.child.kill('SIGSTOP');
      problems.push(...(await refusalProblems(site)));
      server.child.kill('SIGCONT');
      const { status } = await fetch(`${site.url}/readyz`);
      if (status !== 200) problems.push(`the first server responded with ${status}`);
      await server.stop('SIGKILL');
      const [next, elapsedMs] = await timedServe(site);
      server = next;
      maxStartMs = Math.max(maxStartMs, elapsedMs);
      if (elapsedMs > first + MAX_DELAY_MS)
        problems.push(`started after ${elapsedMs} ms, the slowest earlier start took ${first} ms`);
      first = Math.max(first, elapsedMs);
    }
    const { code } = await server.stop();
    if (code !== 0) problems.push(`the last server ended with ${code}`);
    return { counts: { refused: rounds, kills: rounds, 'longest start, ms': maxStartMs }, problems };
  } finally {
    await site.remove();
  }
}

async function timedServe(site: FaultSite): Promise<[Awaited<ReturnType<FaultSite['serve']>>, number]> {
  const startedAt = performance.now();
  const server = await site.serve();
  return [server, Math.round(performance.now() - startedAt)];
}

async function refusalProblems(site: FaultSite): Promise<readonly string[]> {
  const env = { PORT: String(await freePort()) };
  const second = site.spawnServe({ env });
  const ended = await within(second.ended, MAX_REFUSAL_MS);
  if (ended === 'too late') return [`a second server does not end: ${(await second.stop('SIGKILL')).stdout}`];
  const { code, stdout, stderr } = ended;
  const seen = JSON.stringify([code, stdout, linesOf(stderr)]);
  const line = `Another process serves ${site.env.DATABASE_URL} already, and only one can serve an SQLite file. Stop it first.`;
  return seen === JSON.stringify([1, '', [line]]) ? [] : [`a second server: ${seen}`];
}
