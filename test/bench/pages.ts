import { largeSecretKey } from '../support/large-organization.js';
import { MAX_PAGE_MS, measurePages, pageOperations } from '../support/page/page-speed.js';
import { isSmall } from './data.js';
import { largeDatabase, largeSize } from './large-database.js';
import type { Measurement } from './measurement.js';
import { startProduct } from './servers.js';

const ROUNDS = isSmall ? 3 : 15;

/** Goal 13: every page of an organization with 20,000 people and 100,000 meetings, beside a bare page of the same size. */
export const pages: Measurement = {
  name: 'pages',
  async run(bench) {
    const { url, keys } = await largeDatabase(bench, 'pages');
    // The limits would refuse the requests that are measured.
    const limits = { PAGE_LIMIT: '0', FEED_LIMIT: '0' };
    const product = await startProduct({ ...bench.servedOn(url), secretKey: largeSecretKey }, limits);
    try {
      const server = { url: `http://127.0.0.1:${product.port}`, cpu: () => product.cpu() };
      const times = await measurePages(server, pageOperations(keys, largeSize), ROUNDS);
      return times.map(({ name, median, worst, bareMedian, bareWorst, cpu }) => ({
        work: `Page, ${name}`,
        rate: 'requests',
        measured: [],
        verdicts: [{ figure: 'for one', value: median, goal: { atMost: MAX_PAGE_MS }, unit: ' ms' }],
        remarks: [
          `${worst.toFixed(1)} ms at worst; a bare page of the same size ${bareMedian.toFixed(1)} ms, ${bareWorst.toFixed(1)} ms at worst`,
          `${cpu.toFixed(1)} ms of the server’s CPU for one; ${ROUNDS} rounds`,
        ],
      }));
    } finally {
      await product.stop();
    }
  },
};
