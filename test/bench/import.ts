import { facts } from './data.js';
import type { Measurement } from './measurement.js';
import type { Engine, Imported } from './servers.js';
import type { Result } from './table.js';

/** Goal 12: loading data. The million that it loads is what others read, so that it comes before the servers start. */
export const imports: Measurement = { name: 'import', readsMillion: true, run: async () => [] };

/** More memory than for a tenth of the records counts as growing. */
const FLAT = 32;

/** What loading the million gave, after `few` were loaded. */
export function importResult({
  engine,
  few,
  many,
}: {
  readonly engine: Engine;
  readonly few: Imported;
  readonly many: Imported;
}): Result {
  const { meetings } = facts.organizations.million;
  return {
    work: `Import of ${meetings.toLocaleString('en')} meetings`,
    rate: 'requests',
    measured: [],
    verdicts: [
      {
        figure: 'records a second',
        value: meetings / (many.took / 1000),
        goal: { atLeast: engine === 'SQLite' ? 100_000 : 50_000 },
      },
      {
        figure: 'more memory than for a tenth',
        value: many.peak - few.peak,
        goal: { atMost: FLAT },
        unit: ' MB',
      },
    ],
    remarks: [`${(many.took / 1000).toFixed(1)} s, ${many.peak.toFixed(0)} MB`],
  };
}
