import type { Sql } from './database.js';

/**
 * Short texts from process to process, over the database that they share. A text may get lost, or arrive late: nothing may
 * depend on it but how soon something is done.
 */
export interface News {
  /**
   * Within a transaction, so that those that listen get the texts when it is committed, this process too. With SQLite,
   * `tellCommitted` does that.
   */
  tell(sql: Sql, texts: readonly string[]): Promise<void>;
  /** Call it after a commit. With SQLite, those that listen get an empty text. Otherwise it does nothing. */
  tellCommitted(): void;
  /** Rejects with the reason if nothing can be heard. `lost` may be called after the result was closed. */
  listen(listener: NewsListener): Promise<{ close(): void }>;
}

export interface NewsListener {
  heard(text: string): void;
  /** From now on, nothing is heard. */
  lost(reason: Error): void;
}
