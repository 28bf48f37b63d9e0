import { facts, type SampleFile } from './data.js';
import type { Measurement } from './measurement.js';
import type { Engine, Imported } from './servers.js';
import type { Result } from './table.js';

/** Goal 12: importing data. It runs before the servers start, because the other measurements read the imported data. */
export const imports: Measurement = { name: 'import', readsMillion: true, run: async () => [] };

/** Megabytes that the import may take more than an import of half the records. */
const MAX_ADDED_MB = 32;

export interface Imports {
  readonly engine: Engine;
  readonly samples: { readonly few: SampleFile; readonly many: SampleFile };
  readonly few: Imported;
  readonly many: Imported;
  /** The import of the organization with a million meetings of 705 bytes. */
  readonly million: Imported;
}

export function importResult({ engine, samples, few, many, million }: Imports): Result {
  const { meetings } = facts.organizations.million;
  const rate = (records: number, { elapsedMs }: Imported): number => records / (elapsedMs / 1000);
  return {
    work: `Import of ${samples.many.records.toLocaleString('en')} records`,
    rate: 'requests',
    measured: [],
    verdicts: [
      {
        figure: 'records a second',
        value: rate(samples.many.records, many),
        goal: { atLeast: engine === 'SQLite' ? 100_000 : 50_000 },
      },
      {
        figure: 'of memory more than for half of them',
        value: many.peak - few.peak,
        goal: { atMost: MAX_ADDED_MB },
        unit: ' MB',
      },
    ],
    remarks: [
      `${many.peak.toFixed(0)} MB; ${(many.elapsedMs / 1000).toFixed(1)} s, and ${(many.cpu / 1000).toFixed(1)} s of CPU`,
      `${meetings.toLocaleString('en')} meetings of 705 bytes: ${rate(meetings, million).toFixed(0)} a second, ${(million.cpu / 1000).toFixed(1)} s of CPU, ${million.peak.toFixed(0)} MB`,
    ],
  };
}
