import { SingleBar } from 'cli-progress';
import { isTerminal, say } from '../terminal.js';

/** Shows how far a long command is: talk, so it goes to standard error. */
export interface Progress {
  readonly bytes: (read: number) => void;
  readonly records: (read: number) => void;
  /** What it does now, where that is not reading. */
  readonly step: (text: string) => void;
  readonly end: () => void;
}

/** A bar on a terminal (without a scale where the size is not known), elsewhere plain lines. */
export function createProgress({ totalBytes }: { readonly totalBytes: number | null }): Progress {
  return isTerminal.talk() ? bar(totalBytes) : plainLines();
}

function bar(totalBytes: number | null): Progress {
  const isMeasured = totalBytes !== null && totalBytes > 0;
  const shown = new SingleBar({
    stream: process.stderr,
    format: isMeasured ? '{bar} {percentage}%  {text}' : '{text}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
  });
  let text = '0 records';
  shown.start(totalBytes ?? 0, 0, { text });
  return {
    bytes: (read) => shown.update(isMeasured ? read : 0, { text }),
    records: (read) => {
      text = `${read.toLocaleString('en')} records`;
    },
    step: (now) => {
      text = now;
      shown.update({ text });
      // The next step may keep the process busy until it ends.
      shown.render();
    },
    end: () => shown.stop(),
  };
}

/** Milliseconds between two lines. */
const LINE_EVERY = 2000;

function plainLines(): Progress {
  const begun = performance.now();
  let told = begun;
  return {
    bytes: () => undefined,
    records: (read) => {
      if (performance.now() - told < LINE_EVERY) return;
      told = performance.now();
      say(`Read ${read.toLocaleString('en')} records`);
    },
    step: (now) => {
      if (performance.now() - begun > LINE_EVERY) say(now);
    },
    end: () => undefined,
  };
}
