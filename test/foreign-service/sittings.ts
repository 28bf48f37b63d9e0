import type {
  ExportColumn,
  ExportColumnKey,
  ExportedRows,
  MeetingDetails,
  MeetingSelection,
  Meetings,
  WaitingStatus,
} from '@rollcall/core';
import SqliteDatabase from 'better-sqlite3';
import type { Database, Value } from './database.js';

/** What is only ever shown, and never looked for: kept as one JSON text. */
export interface SittingFacts {
  readonly name: string;
  readonly kind: string;
  readonly minutes: number;
  readonly topic: string;
  readonly focus: string;
  readonly host: string;
  readonly location: string;
  readonly price: number | null;
  readonly description: string | null;
  readonly isPrivate: boolean;
  readonly takesDonations: boolean;
  readonly byInvitation: boolean;
}

interface SittingRow {
  readonly id: number;
  readonly begins: number;
  readonly ends: number;
  readonly state: string;
  readonly wellness: number;
  readonly queueing: number;
  readonly leader: number | null;
  readonly places: number;
  readonly facts: string;
}

/** The company's own sittings and those of the service; never another company's. */
const VISIBLE = '(sittings.company = ? OR sittings.company IS NULL)';
const UPCOMING = `${VISIBLE} AND sittings.ends > ? AND sittings.state NOT IN ('complete', 'cancel')`;

export function sittingMeetings(database: Database): Meetings {
  return {
    async registeredPlaces({ organizationId, userId, now }) {
      const rows = database.all<{ readonly id: number; readonly begins: number; readonly taken: number }>(
        `SELECT sittings.id, sittings.begins, seats.taken FROM seats JOIN sittings ON sittings.id = seats.sitting
        WHERE seats.person = ? AND ${UPCOMING}`,
        ...[userId, organizationId, now.getTime()],
      );
      return rows.map(({ id, begins, taken }) => ({
        meetingId: id,
        startTime: new Date(begins),
        registeredAt: new Date(taken),
      }));
    },

    async waitingPlaces({ organizationId, userId, now }) {
      const rows = database.all<{
        readonly id: number;
        readonly begins: number;
        readonly standing: WaitingStatus;
      }>(
        `SELECT sittings.id, sittings.begins, queue.standing FROM queue JOIN sittings ON sittings.id = queue.sitting
        WHERE queue.person = ? AND ${UPCOMING} AND sittings.queueing`,
        ...[userId, organizationId, now.getTime()],
      );
      return rows.map(({ id, begins, standing }) => ({
        meetingId: id,
        startTime: new Date(begins),
        status: standing,
      }));
    },

    async details({ organizationId, ids }) {
      const rows = database.all<DetailsRow>(
        `SELECT sittings.*, people.given, people.family, people.picture,
          (SELECT count(*) FROM seats WHERE seats.sitting = sittings.id
             AND seats.person IS NOT sittings.leader) AS taken
        FROM sittings LEFT JOIN people ON people.id = sittings.leader
        WHERE ${VISIBLE} AND sittings.id IN (SELECT value FROM json_each(?))`,
        ...[organizationId, JSON.stringify(ids)],
      );
      return rows.map(toDetails);
    },

    async export({ selection, columns, page }) {
      if (page === null) return { total: null, chunks: everyRow(database.file, selection, columns) };
      return onePage(database, { selection, columns, page });
    },
  };
}

interface DetailsRow extends SittingRow {
  readonly taken: number;
  readonly given: string | null;
  readonly family: string | null;
  readonly picture: string | null;
}

function toDetails(row: DetailsRow): MeetingDetails {
  const { name, topic, description, location } = JSON.parse(row.facts) as SittingFacts;
  const { id, leader, given, family, picture } = row;
  return {
    id,
    name,
    startTime: new Date(row.begins),
    endTime: new Date(row.ends),
    topic,
    description,
    location,
    maxAttendees: row.places,
    registeredAttendees: row.taken,
    groupLeader:
      leader === null || given === null || family === null
        ? null
        : { id: leader, firstName: given, lastName: family, avatar: picture },
  };
}

// ── The export ─────────────────────────────────────────────────────────────────────────────────────────────

type Facts = SittingRow & SittingFacts;

const cells: Readonly<Record<ExportColumnKey, (sitting: Facts) => Value | boolean>> = {
  name: ({ name }) => name,
  meeting_type: ({ kind }) => kind,
  start_time: ({ begins }) => new Date(begins).toISOString(),
  duration: ({ minutes }) => minutes,
  status: ({ state }) => state,
  topic: ({ topic }) => topic,
  special_focus: ({ focus }) => focus,
  host: ({ host }) => host,
  location: ({ location }) => location,
  price: ({ price }) => price ?? 0,
  max_attendees: ({ places }) => places,
  meeting_description: ({ description }) => description,
  group_leader_id: ({ leader }) => leader,
  privacy: ({ isPrivate }) => isPrivate,
  eap: ({ wellness }) => wellness === 1,
  allow_meeting_donation: ({ takesDonations }) => takesDonations,
  invitation_only: ({ byInvitation }) => byInvitation,
  wait_list: ({ queueing }) => queueing === 1,
};

function encode(row: SittingRow, columns: readonly ExportColumn[]): string {
  const sitting: Facts = { ...row, ...(JSON.parse(row.facts) as SittingFacts) };
  return JSON.stringify(Object.fromEntries(columns.map(({ key, as }) => [as, cells[key](sitting)])));
}

/** The selection as SQL; `isSelected` of the core says the same about one meeting, and the suites compare. */
function selected(selection: MeetingSelection): { readonly text: string; readonly values: readonly Value[] } {
  const { organizationId, withServiceMeetings, eapOnly, state, starts, now } = selection;
  const states = {
    past: `sittings.state = 'complete'`,
    upcoming: `sittings.state NOT IN ('complete', 'cancel') AND sittings.ends > ${now.getTime()}`,
    any: 'true',
  };
  const guest = `EXISTS (SELECT 1 FROM guests WHERE guests.sitting = sittings.id AND guests.company = ?)`;
  return {
    text: `FROM sittings
      WHERE (sittings.company = ? OR (? AND sittings.company IS NULL AND ${guest}))
        AND (NOT ? OR sittings.wellness) AND ${states[state]} AND sittings.begins >= ? AND sittings.begins < ?`,
    values: [
      organizationId,
      Number(withServiceMeetings),
      organizationId,
      Number(eapOnly),
      starts.from?.getTime() ?? -Number.MAX_SAFE_INTEGER,
      starts.before?.getTime() ?? Number.MAX_SAFE_INTEGER,
    ],
  };
}

const ORDER = 'ORDER BY sittings.begins, sittings.id';

function onePage(
  database: Database,
  {
    selection,
    columns,
    page,
  }: {
    readonly selection: MeetingSelection;
    readonly columns: readonly ExportColumn[];
    readonly page: { readonly offset: number; readonly limit: number };
  },
): ExportedRows {
  const { text, values } = selected(selection);
  return database.snapshot(() => {
    const count = database.get<{ readonly total: number }>(`SELECT count(*) AS total ${text}`, ...values);
    const rows = database.all<SittingRow>(
      `SELECT sittings.* ${text} ${ORDER} LIMIT ? OFFSET ?`,
      ...[...values, page.limit, page.offset],
    );
    const encoded = rows.map((row) => encode(row, columns)).join(',');
    return { total: count?.total ?? 0, chunks: oneChunk(encoded) };
  });
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}

const ROWS_A_CHUNK = 200;

/**
 * Every selected row from one read transaction on a connection of its own: others go on writing, what they write
 * does not show, and no more than a chunk is held. The connection is closed when the last chunk was read or the
 * reader leaves.
 */
async function* everyRow(
  file: string,
  selection: MeetingSelection,
  columns: readonly ExportColumn[],
): AsyncGenerator<Uint8Array> {
  const snapshot = new SqliteDatabase(file, { readonly: true });
  try {
    const { text, values } = selected(selection);
    const rows = snapshot.prepare<Value[], SittingRow>(`SELECT sittings.* ${text} ${ORDER}`);
    let chunk: string[] = [];
    let comma = '';
    for (const row of rows.iterate(...values)) {
      chunk.push(comma + encode(row, columns));
      comma = ',';
      if (chunk.length < ROWS_A_CHUNK) continue;
      yield Buffer.from(chunk.join(''));
      chunk = [];
    }
    if (chunk.length > 0) yield Buffer.from(chunk.join(''));
  } finally {
    snapshot.close();
  }
}
