import { SingleBar } from 'cli-progress';
import { isTerminal, say } from '../terminal.js';

/** Shows how far a long command is: talk, so it goes to standard error. */
export interface Progress {
  /** How much of the total is done. */
  readonly done: (amount: number) => void;
  /** What people are told of it. */
  readonly records: (count: number) => void;
  /** What it does now, where that is not reading. */
  readonly step: (text: string) => void;
  readonly end: () => void;
}

export interface ProgressOptions {
  /** In bytes or whatever else; null: not known. */
  readonly total: number | null;
  /** What is done with records, in the past. */
  readonly verb: string;
}

/** A bar on a terminal (without a scale where the total is not known), elsewhere plain lines. */
export function createProgress({ total, verb }: ProgressOptions): Progress {
  return isTerminal.talk() ? bar(total) : plainLines(verb);
}

function bar(total: number | null): Progress {
  const isMeasured = total !== null && total > 0;
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
  shown.start(total ?? 0, 0, { text });
  return {
    done: (amount) => shown.update(isMeasured ? amount : 0, { text }),
    records: (count) => {
      text = `${count.toLocaleString('en')} records`;
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

function plainLines(verb: string): Progress {
  const begun = performance.now();
  let told = begun;
  return {
    done: () => undefined,
    records: (count) => {
      if (performance.now() - told < LINE_EVERY) return;
      told = performance.now();
      say(`${verb} ${count.toLocaleString('en')} records`);
    },
    step: (now) => {
      if (performance.now() - begun > LINE_EVERY) say(now);
    },
    end: () => undefined,
  };
}
