import { createServer } from 'node:http';
import type { Metrics } from '#adapters/node/system/metrics.js';
import { listen } from '../listen.js';
import type { Sample, Scrape } from './expressions.js';

/** Something that Prometheus scrapes. Rejects if it cannot be reached. */
export type Target = () => Promise<string>;

export type Scraper = ReturnType<typeof startScraper>;

/** The samples of each scrape of some targets. The time of a scrape is chosen, so that hours pass in seconds. */
export function startScraper(stepSeconds: number, targets: ReadonlyMap<string, Target>) {
  const scrapes: Scrape[] = [];
  const current = new Map(targets);
  return {
    scrapes: scrapes as readonly Scrape[],
    /** The targets by instance. */
    targets: current,
    async scrape(): Promise<void> {
      const samples = await Promise.all(
        [...current].map(async ([instance, target]): Promise<readonly Sample[]> => {
          const labels = { job: 'rollcall', instance };
          const text = await target().catch(() => null);
          const up = { name: 'up', labels, value: text === null ? 0 : 1 };
          return text === null ? [up] : [up, ...readSamples(text, labels)];
        }),
      );
      scrapes.push({ at: scrapes.length * stepSeconds, samples: samples.flat() });
    },
  };
}

/** Reads the text format of Prometheus. */
export function readSamples(text: string, more: Sample['labels'] = {}): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    return [{ name, labels: { ...Object.fromEntries(pairs), ...more }, value: Number(value) }];
  });
}

/** Serves metrics on a port of their own. */
export async function serveMetrics(
  metrics: Pick<Metrics, 'handler'>,
): Promise<{ readonly target: Target; stop(): void }> {
  const server = createServer(metrics.handler);
  const port = await listen(server);
  return {
    async target() {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { Connection: 'close' } });
      return answer.text();
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
