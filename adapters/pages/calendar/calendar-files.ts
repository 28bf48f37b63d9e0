import { type CalendarFile, calendarVersion, renderCalendar } from './icalendar.js';

/** Bytes of all files that are kept. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

interface Kept {
  readonly tag: string;
  readonly bytes: Buffer;
}

/** A calendar that its program may have already. */
export interface TaggedCalendar {
  /** For `ETag`; weak, as the file also says when it was written. */
  readonly tag: string;
  /** Writes the file, unless that was done since its last change. */
  bytes(): Promise<Buffer>;
}

/** Files of feeds, each written once a change while there is room; the one that was asked for longest ago makes room. */
export class CalendarFiles {
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Map<string, Promise<Buffer>>();
  #size = 0;

  /** `key` tells whose calendar it is. */
  async of(key: string, file: CalendarFile): Promise<TaggedCalendar> {
    const tag = `W/"${await calendarVersion(file)}"`;
    return { tag, bytes: () => this.#bytes(key, tag, file) };
  }

  async #bytes(key: string, tag: string, file: CalendarFile): Promise<Buffer> {
    const known = this.#kept.get(key);
    if (known?.tag === tag) {
      this.#keep(key, known);
      return known.bytes;
    }
    const both = `${key} ${tag}`;
    const rendering = this.#underWay.get(both) ?? renderCalendar(file);
    this.#underWay.set(both, rendering);
    try {
      const bytes = await rendering;
      this.#keep(key, { tag, bytes });
      return bytes;
    } finally {
      this.#underWay.delete(both);
    }
  }

  #keep(key: string, fresh: Kept): void {
    this.#drop(key);
    this.#kept.set(key, fresh);
    this.#size += fresh.bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= MAX_KEPT_BYTES) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#kept.get(key)?.bytes.length ?? 0;
    this.#kept.delete(key);
  }
}
