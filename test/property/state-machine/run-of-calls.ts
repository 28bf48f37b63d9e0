import type { Reply } from '../../support/http/reply.js';
import type { Cell } from './cell.js';
import type { Sent } from './command.js';

/** A call that was sent, with its answer and the one that the model expects. */
export interface RecordedCall {
  readonly sent: Sent;
  readonly path: string;
  readonly reply: Reply;
  expected: string;
  /** Where the answer shows values for the first time, such as `body.user.id`. */
  readonly captured: Map<Cell, string>;
}

/** Something that happens outside of the API. */
export interface RecordedNote {
  readonly note: string;
  /** The command with which a person can do the same, with cells in it; null: there is none. */
  readonly command: readonly (string | Cell)[] | null;
}

/** An answer that the model does not expect. */
export class Mismatch extends Error {}

/** What was done in one sequence, and how often in all. */
export class Run {
  readonly calls: (RecordedCall | RecordedNote)[] = [];
  private readonly counts: Map<string, number>;

  constructor(counts: Map<string, number>) {
    this.counts = counts;
  }

  count(operation: string, status: number): void {
    const answer = `${operation} ${status}`;
    this.counts.set(answer, (this.counts.get(answer) ?? 0) + 1);
  }

  note(note: string, command: RecordedNote['command'] = null): void {
    this.calls.push({ note, command });
  }
}
