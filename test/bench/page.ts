import { facts } from './data.js';
import { allColumns, exportPath } from './export.js';
import type { Measurement } from './measurement.js';
import { smallRequests } from './small.js';

/** Goal 6: a page with its total, which the floor reads from the counter as well. */
export const page: Measurement = {
  name: 'page',
  async run(bench) {
    const { large } = facts.organizations;
    const path = exportPath(large, allColumns, '&page=1&per_page=100');
    const asked = { method: 'GET', path, token: bench.tokenOf(large) } as const;
    return [await smallRequests(bench, { work: 'Page 1 of an export, with its total', asked, goal: 0.85 })];
  },
};
