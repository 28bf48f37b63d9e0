import type { DatasetRecord } from '#adapters/sql/maintenance/dataset.js';

/** What the parent asks of an instance. Its answer is `true`. */
export type Task = { readonly kind: 'open'; readonly url: string; readonly fault: Fault | null } | Import;

export interface Import {
  readonly kind: 'import';
  readonly records: readonly DatasetRecord[];
  /** How long the transaction stays open after its last statement. */
  readonly holdMs: number;
}

/**
 * Mistakes in imports that the proof must find.
 * - `early-time`: an import takes its time when it begins, before it waits for other imports.
 * - `unstamped-ties`: the ties of a changed service meeting keep their time.
 * - `silent-moves`: meetings that leave an organization leave no tombstone.
 * - `silent-switches`: ties keep their time when a program is switched on.
 */
export const faults = ['early-time', 'unstamped-ties', 'silent-moves', 'silent-switches'] as const;
export type Fault = (typeof faults)[number];
