import { Refusal } from '../errors.js';

/** How an exported row is encoded. */
export type ExportForm = 'json';

export interface ExportColumn {
  /** What the request names it by. */
  readonly key: ExportColumnKey;
  /** What the answer names it by. */
  readonly as: string;
  readonly type: 'string' | 'text or null' | 'integer' | 'integer or null' | 'price' | 'boolean' | 'instant';
}

const COLUMNS = {
  name: 'string',
  meeting_type: 'string',
  start_time: 'instant',
  duration: 'integer',
  status: 'string',
  topic: 'string',
  special_focus: 'string',
  host: 'string',
  location: 'string',
  price: 'price',
  max_attendees: 'integer',
  meeting_description: 'text or null',
  group_leader_id: 'integer or null',
  privacy: 'boolean',
  eap: 'boolean',
  allow_meeting_donation: 'boolean',
  invitation_only: 'boolean',
  wait_list: 'boolean',
} as const satisfies Record<string, ExportColumn['type']>;

export type ExportColumnKey = keyof typeof COLUMNS;

/** Every column of section 2.5, in its order. */
export const exportColumns: readonly ExportColumn[] = Object.entries(COLUMNS).map(([key, type]) => ({
  key: key as ExportColumnKey,
  as: key === 'group_leader_id' ? 'group_leader' : key,
  type,
}));

const byKey = new Map<string, ExportColumn>(exportColumns.map((column) => [column.key, column]));

/** The columns in the order asked for, each once (decisions 7 and 11). */
export function chooseColumns(keys: readonly string[]): readonly ExportColumn[] {
  return [...new Set(keys)].map((key) => {
    const column = byKey.get(key);
    if (column === undefined) {
      throw new Refusal(
        'invalid-request',
        `column: ${quoted(key)} is not one of ${[...byKey.keys()].join(', ')}`,
      );
    }
    return column;
  });
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
