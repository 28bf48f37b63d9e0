import { pathToFileURL } from 'node:url';
import { connect } from './connection.js';

/** What one run has measured, in bytes. */
export interface Measured {
  readonly rows: number;
  /** The sum of all IDs. */
  readonly sum: number;
  /** The live heap after the first rows, and its highest value later. */
  readonly heapAtStart: number;
  readonly heapAtMost: number;
}

const ROWS_BETWEEN = 10_000;

/** A program: `node --expose-gc stream-meetings.js <URL of the API> <organization> <access key>`. */
async function main([baseUrl = '', organizationId = '', accessKey = '']: readonly string[]): Promise<void> {
  const { api } = connect({ baseUrl, organizationId: Number(organizationId), accessKey });
  const heap = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const samples: number[] = [];
  let rows = 0;
  let sum = 0;
  const request = { organizationId, 'column[]': ['id' as const, 'name' as const, 'topic' as const] };
  for await (const meeting of api.exportMeetings({ ...request, reporting_days: 'everything' })) {
    rows += 1;
    sum += meeting.id ?? 0;
    if (rows % ROWS_BETWEEN === 0) samples.push(heap());
  }
  const [heapAtStart = 0, ...later] = samples;
  const measured: Measured = { rows, sum, heapAtStart, heapAtMost: Math.max(...later) };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
