import { Refusal } from '../errors.js';
import { csvHeading } from '../values/csv.js';
import type { Unchecked } from '../values/one-of.js';

/** How exported rows are encoded: as JSON objects with commas between them, as one JSON object per line, or as CSV. */
export type ExportForm = 'json' | 'ndjson' | 'csv';
export const exportForms: readonly ExportForm[] = ['json', 'ndjson', 'csv'];

/** One column of an export. */
export interface ExportColumn {
  /** The column's name in requests. */
  readonly key: ExportColumnKey;
  /** The column's name in the exported rows. */
  readonly as: string;
  /** The column's name for people. */
  readonly label: string;
  /**
   * How the values are encoded. `price`: the number exactly as it is stored, 0 if the meeting has none. `instant`: UTC
   * in ISO 8601 with milliseconds, such as `2026-11-20T18:30:00.000Z`. `… or null`: null in JSON, empty in CSV.
   */
  readonly type: 'string' | 'text or null' | 'integer' | 'integer or null' | 'price' | 'boolean' | 'instant';
}

/** The name of a column in requests. */
export type ExportColumnKey =
  | 'name'
  | 'meeting_type'
  | 'start_time'
  | 'duration'
  | 'status'
  | 'topic'
  | 'special_focus'
  | 'host'
  | 'location'
  | 'price'
  | 'max_attendees'
  | 'meeting_description'
  | 'group_leader_id'
  | 'privacy'
  | 'eap'
  | 'allow_meeting_donation'
  | 'invitation_only'
  | 'wait_list'
  | 'id'
  | 'updated_at';

// `.github/CONTRIBUTING.md` lists the other files that a new column needs.
const COLUMNS = {
  name: ['Name', 'string'],
  meeting_type: ['Meeting Type', 'string'],
  start_time: ['Start Time', 'instant'],
  duration: ['Duration', 'integer'],
  status: ['Status', 'string'],
  topic: ['Topic', 'string'],
  special_focus: ['Special Focus', 'string'],
  host: ['Host', 'string'],
  location: ['Location', 'string'],
  price: ['Price', 'price'],
  max_attendees: ['Max Registrants', 'integer'],
  meeting_description: ['Description', 'text or null'],
  group_leader_id: ['Group Leader', 'integer or null'],
  privacy: ['Privacy', 'boolean'],
  eap: ['EAP Meeting', 'boolean'],
  allow_meeting_donation: ['Donation Allowed', 'boolean'],
  invitation_only: ['Invitation Only', 'boolean'],
  wait_list: ['Wait List', 'boolean'],
  id: ['ID', 'integer'],
  updated_at: ['Updated', 'instant'],
} as const satisfies Record<ExportColumnKey, readonly [label: string, type: ExportColumn['type']]>;

/** Every column that an export can have, in the order in which they are documented. */
export const exportColumns: readonly ExportColumn[] = Object.entries(COLUMNS).map(([key, [label, type]]) => ({
  key: key as ExportColumnKey,
  as: key === 'group_leader_id' ? 'group_leader' : key,
  label,
  type,
}));

const byKey = new Map<string, ExportColumn>(exportColumns.map((column) => [column.key, column]));

/**
 * Returns the requested columns in the requested order, each once.
 *
 * @throws `Refusal`: `invalid-request` that names the first unknown key and every allowed one.
 */
export function chooseColumns(keys: readonly Unchecked<ExportColumnKey>[]): readonly ExportColumn[] {
  return [...new Set(keys)].map((key) => {
    const column = byKey.get(key);
    if (column === undefined) {
      const message = `${quoted(key)} is not one of ${[...byKey.keys()].join(', ')}`;
      throw new Refusal('invalid-request', [{ field: 'columns', code: 'unknown', message }]);
    }
    return column;
  });
}

/** The first line of a CSV file: the labels. */
export function csvHeader(columns: readonly ExportColumn[]): string {
  return csvHeading(columns.map(({ label }) => label));
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
