import { closedStatuses } from '@rollcall/core/rules';
import type { DatasetRecord } from '@rollcall/sql/maintenance';

/** Something that a dataset may contain but that is probably a mistake. */
export interface DatasetWarning {
  readonly field: 'status' | 'duration';
  /** The status, or null if the warning is about the field in general. */
  readonly value: string | null;
  /** The number of lines, and the first of them. */
  readonly count: number;
  readonly line: number;
  /** English for people, with the count and the line. */
  readonly message: string;
}

type Lines = Pick<DatasetWarning, 'count' | 'line'>;

/** Usual words for meetings that are open. Any other word may mean that a meeting is closed. */
const openStatuses: readonly string[] = [
  ...['scheduled', 'rescheduled', 'postponed', 'planned', 'upcoming', 'confirmed', 'tentative', 'pending'],
  ...['draft', 'open', 'active', 'started', 'ongoing', 'in_progress', 'live'],
];
const known: ReadonlySet<string> = new Set([...openStatuses, ...closedStatuses]);

/** Further statuses are not reported. */
const MAX_STATUSES = 10;
const MAX_SHOWN_CHARACTERS = 40;

/** Counts what is probably a mistake while a dataset is read. */
export class WarningCollector {
  readonly #statuses = new Map<string, Lines>();
  #durations: Lines | null = null;

  add(line: number, record: DatasetRecord): void {
    if (record.kind !== 'meeting' || record.deleted === true) return;
    const { status } = record;
    if (!known.has(status) && (this.#statuses.has(status) || this.#statuses.size < MAX_STATUSES))
      this.#statuses.set(status, oneMore(this.#statuses.get(status), line));
    if (contradicts(record)) this.#durations = oneMore(this.#durations, line);
  }

  get warnings(): readonly DatasetWarning[] {
    const statuses = [...this.#statuses].map(([value, lines]) => ({
      ...({ field: 'status', value, ...lines } as const),
      message: `${meetingsOf(lines)} the status ${quoted(value)}, which counts as open: meetings with it are upcoming until they end. Only ${closing} close a meeting.`,
    }));
    if (this.#durations === null) return statuses;
    const message = `${meetingsOf(this.#durations)} a duration that differs from the time between start_time and end_time. Lists of upcoming meetings show the time between the two, and exports show the duration.`;
    return [...statuses, { field: 'duration', value: null, ...this.#durations, message }];
  }
}

const closing = closedStatuses.map((status) => `"${status}"`).join(' and ');

function oneMore(lines: Lines | null | undefined, line: number): Lines {
  return { count: (lines?.count ?? 0) + 1, line: lines?.line ?? line };
}

function meetingsOf({ count, line }: Lines): string {
  return count === 1
    ? `1 meeting (line ${line}) has`
    : `${count.toLocaleString('en')} meetings (the first on line ${line}) have`;
}

/** As JSON, because a text of the dataset must not control the terminal. */
function quoted(text: string): string {
  return JSON.stringify(
    text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text,
  );
}

interface Times {
  readonly start_time: string;
  readonly end_time: string;
  readonly duration: number;
}

/** A duration that was rounded to whole minutes, up or down, does not contradict the times. */
function contradicts({ start_time, end_time, duration }: Times): boolean {
  const minutes = (Date.parse(end_time) - Date.parse(start_time)) / 60_000;
  return Math.abs(duration - minutes) >= 1;
}
