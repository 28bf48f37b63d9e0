import type { ImportPlace } from '@rollcall/sql/maintenance';

/** A line with its end, as bytes. */
export interface FollowedLine {
  /** The first one of the file is 1. */
  readonly number: number;
  readonly bytes: Buffer;
  /** The place after the line. Null when the source cannot be read again. */
  readonly place: ImportPlace | null;
}

/** Lines that come as they are written. */
export interface LineSource {
  /** The next lines that are there, at most `max`. Does not wait for more. */
  read(max: number): Promise<readonly FollowedLine[]>;
  /** Whether no further lines can come. */
  isEnded(): boolean;
  close(): Promise<void>;
}

const NEW_LINE = 0x0a;
/** More than the 1 MB that `readLines` allows: a line that is longer is passed on in pieces, which are then refused. */
const MAX_LINE_BYTES = 1_100_000;

/** Cuts bytes into lines. */
export class LineCutter {
  #pending: Buffer = Buffer.alloc(0);
  #searched = 0;

  get pendingBytes(): number {
    return this.#pending.length;
  }

  add(bytes: Uint8Array): void {
    this.#pending = Buffer.concat([this.#pending, bytes]);
  }

  /** The next complete line with its end, or null. */
  next(): Buffer | null {
    const end = this.#pending.indexOf(NEW_LINE, this.#searched);
    if (end === -1 && this.#pending.length <= MAX_LINE_BYTES) {
      this.#searched = this.#pending.length;
      return null;
    }
    return this.#take(end === -1 ? this.#pending.length : end + 1);
  }

  /** The rest, which has no end, or null. */
  rest(): Buffer | null {
    return this.#pending.length === 0 ? null : this.#take(this.#pending.length);
  }

  #take(length: number): Buffer {
    const line = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    this.#searched = 0;
    return line;
  }
}
