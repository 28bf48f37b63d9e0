import { SingleBar } from 'cli-progress';
import { isTerminal, say } from '../terminal.js';

/** Shows how far a long command is: talk, so it goes to standard error. */
export interface Progress {
  readonly bytes: (read: number) => void;
  readonly records: (read: number) => void;
  readonly end: () => void;
}

/** A bar on a terminal, else a line every 100,000 records. */
export function createProgress({ totalBytes }: { readonly totalBytes: number | null }): Progress {
  return isTerminal.talk() && totalBytes !== null && totalBytes > 0 ? bar(totalBytes) : plainLines();
}

function bar(totalBytes: number): Progress {
  const shown = new SingleBar({
    stream: process.stderr,
    format: '{bar} {percentage}%  {records} records',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
  });
  let records = '0';
  shown.start(totalBytes, 0, { records });
  return {
    bytes: (read) => shown.update(read, { records }),
    records: (read) => {
      records = read.toLocaleString('en');
    },
    end: () => shown.stop(),
  };
}

const LINE_EVERY = 100_000;

function plainLines(): Progress {
  let told = 0;
  return {
    bytes: () => undefined,
    records: (read) => {
      if (read - told < LINE_EVERY) return;
      told = read - (read % LINE_EVERY);
      say(`Read ${told.toLocaleString('en')} records`);
    },
    end: () => undefined,
  };
}
