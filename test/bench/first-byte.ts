import { facts } from './data.js';
import { exportPath } from './export.js';
import { alternate, median, quantile, read } from './measure.js';
import type { Measurement } from './measurement.js';
import type { Result } from './table.js';

const ROUNDS = 9;
/** Time for a server to notice that its reader has left. */
const LEAVE_MS = 30;

/** Goal 2: the time until the first byte of an export, however long it is. Then the reader leaves. */
export const firstByte: Measurement = {
  name: 'first-byte',
  readsMillion: true,
  async run({ product, floor, tokenOf }) {
    const results: Result[] = [];
    const medians: number[] = [];
    const { tenth, large, million } = facts.organizations;
    for (const organization of [tenth, large, million]) {
      const request = {
        method: 'GET',
        path: exportPath(organization),
        token: tokenOf(organization),
      } as const;
      const measured = await alternate([product, floor], ROUNDS, async (subject) => {
        const { firstByte, elapsedMs } = await read(subject, request, { untilFirstByte: true });
        await new Promise((resolve) => setTimeout(resolve, LEAVE_MS));
        return { requests: 1, bytes: 0, elapsedMs, latencies: [elapsedMs], firstBytes: [firstByte] };
      });
      const all = measured[0]?.rounds.flatMap(({ firstBytes }) => firstBytes) ?? [];
      medians.push(median(all));
      results.push({
        work: `First byte of ${organization.meetings.toLocaleString('en')} rows`,
        rate: 'requests',
        measured,
        verdicts: [{ figure: 'to the first byte', value: median(all), goal: { atMost: 25 }, unit: ' ms' }],
        remarks: [`${quantile(all, 1).toFixed(1)} ms at worst; ${all.length} rounds`],
      });
    }
    const [few = Number.NaN, , many = Number.NaN] = medians;
    const [last] = results.slice(-1);
    if (last === undefined) return results;
    const figure = `of that of ${tenth.meetings.toLocaleString('en')} rows`;
    const longer = { figure, value: many / few, goal: { atMost: 2 } };
    return [...results.slice(0, -1), { ...last, verdicts: [...last.verdicts, longer] }];
  },
};
