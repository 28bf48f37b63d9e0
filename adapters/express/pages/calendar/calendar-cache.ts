import { type CalendarFile, calendarVersion, renderCalendar } from './icalendar.js';

/** The maximum size of all cached files together, in bytes. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;

interface CachedFile {
  readonly tag: string;
  readonly bytes: Buffer;
}

/** A calendar file and its tag. The file is written on demand. */
export interface TaggedCalendar {
  /** The `ETag`. It is weak, because the file also contains the time of writing. */
  readonly tag: string;
  /** Writes the file, unless it was written since its last change. */
  bytes(): Promise<Buffer>;
}

/** A cache of feeds. Each is written once for every change. The least recently used one is dropped when space runs out. */
export class CalendarCache {
  readonly #cached = new Map<string, CachedFile>();
  readonly #rendering = new Map<string, Promise<Buffer>>();
  #size = 0;

  /** `key` identifies the calendar. */
  async of(key: string, file: CalendarFile): Promise<TaggedCalendar> {
    const tag = `W/"${await calendarVersion(file)}"`;
    return { tag, bytes: () => this.#bytes(key, tag, file) };
  }

  async #bytes(key: string, tag: string, file: CalendarFile): Promise<Buffer> {
    const known = this.#cached.get(key);
    if (known?.tag === tag) {
      this.#keep(key, known);
      return known.bytes;
    }
    const renderKey = `${key} ${tag}`;
    const rendering = this.#rendering.get(renderKey) ?? renderCalendar(file);
    this.#rendering.set(renderKey, rendering);
    try {
      const bytes = await rendering;
      this.#keep(key, { tag, bytes });
      return bytes;
    } finally {
      this.#rendering.delete(renderKey);
    }
  }

  #keep(key: string, fresh: CachedFile): void {
    this.#drop(key);
    this.#cached.set(key, fresh);
    this.#size += fresh.bytes.length;
    for (const oldest of this.#cached.keys()) {
      if (this.#size <= MAX_CACHED_BYTES) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#cached.get(key)?.bytes.length ?? 0;
    this.#cached.delete(key);
  }
}
