import { facts } from './data.js';
import { allColumns, exportPath } from './export.js';
import { type Asked, alternate, median, quantile, read } from './measure.js';
import type { Measurement } from './measurement.js';

const ROUNDS = 15;
/** For a server to notice that its reader has gone. */
const GONE = 30;

/** Goal 2: how soon an export begins. The reader leaves then. */
export const firstByte: Measurement = {
  name: 'first-byte',
  async run({ product, floor, token }) {
    const asked: Asked = { method: 'GET', path: exportPath(allColumns), token };
    const measured = await alternate([product, floor], ROUNDS, async (subject) => {
      const { firstByte, took } = await read(subject, asked, { untilFirstByte: true });
      await new Promise((resolve) => setTimeout(resolve, GONE));
      return { requests: 1, bytes: 0, took, latencies: [took], firstBytes: [firstByte] };
    });
    const all = measured[0]?.rounds.flatMap(({ firstBytes }) => firstBytes) ?? [];
    return [
      {
        work: `First byte of an export of ${facts.organization.meetings.toLocaleString('en')} rows`,
        rate: 'requests',
        measured,
        verdicts: [{ figure: 'to the first byte', value: median(all), goal: { atMost: 25 }, unit: ' ms' }],
        remarks: [`${quantile(all, 1).toFixed(1)} ms at worst; ${ROUNDS} rounds`],
      },
    ];
  },
};
