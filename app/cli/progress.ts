import { SingleBar } from 'cli-progress';
import { isTerminal, say } from '../terminal.js';
import { counted } from './count-text.js';

/** Shows the progress of a long command on standard error. */
export interface Progress {
  /** The part of the total that is done so far. */
  readonly done: (amount: number) => void;
  /** The number of records to show. */
  readonly records: (count: number) => void;
  /** The current step, after reading. */
  readonly step: (text: string) => void;
  readonly end: () => void;
}

export interface ProgressOptions {
  /** In bytes or rows. Null when unknown. */
  readonly total: number | null;
  /** The verb for the records, in the past tense, such as `Read`. */
  readonly verb: string;
}

/** A progress bar on a terminal, plain lines elsewhere. Without a total, the bar has no scale. */
export function createProgress({ total, verb }: ProgressOptions): Progress {
  return isTerminal.stderr() ? bar(total) : plainLines(verb);
}

function bar(total: number | null): Progress {
  const isMeasured = total !== null && total > 0;
  const progressBar = new SingleBar({
    stream: process.stderr,
    format: isMeasured ? '{bar} {percentage}%  {text}' : '{text}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
  });
  let text = '0 records';
  progressBar.start(total ?? 0, 0, { text });
  return {
    done: (amount) => progressBar.update(isMeasured ? amount : 0, { text }),
    records: (count) => {
      text = counted(count, 'record');
    },
    step: (now) => {
      text = now;
      progressBar.update({ text });
      // The step may block the event loop until it ends.
      progressBar.render();
    },
    end: () => progressBar.stop(),
  };
}

const LINE_INTERVAL_MS = 2000;

function plainLines(verb: string): Progress {
  const startedAt = performance.now();
  let lastLineAt = startedAt;
  return {
    done: () => undefined,
    records: (count) => {
      if (performance.now() - lastLineAt < LINE_INTERVAL_MS) return;
      lastLineAt = performance.now();
      say(`${verb} ${counted(count, 'record')}`);
    },
    step: (now) => {
      if (performance.now() - startedAt > LINE_INTERVAL_MS) say(now);
    },
    end: () => undefined,
  };
}
