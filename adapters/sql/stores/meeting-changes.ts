import type { ChangeCursor, ExportColumn, MeetingChange, MeetingChangesPage, Meetings } from '@rollcall/core';
import { type Database, type Engine, type SqlValue, timeEdges } from '../engine/database.js';
import { postgresRowText } from '../fast-paths/rows-on-postgres.js';
import { sqliteRowText } from '../fast-paths/rows-on-sqlite.js';
import { cutsIn } from './meeting-clock.js';

interface Row {
  /** Null before the first import. */
  readonly last_at: string | null;
  readonly cuts: string | null;
  readonly pruned_at: string | null;
  /** Null if there is no change. */
  readonly id: number | null;
  readonly changed_at: string;
  /** In the form `json` of an export: with a comma before it. */
  readonly encoded: string | null;
  /** The number of changes that were found, up to one more than the limit; the last ones may not be on the page. */
  readonly found: number;
}

type ChangeRow = Row & { readonly id: number };

/**
 * Imports keep the times of the changes (maintenance/meeting-changes.ts). An import has one time, later than that of the
 * import before. So a page that ends at the time of the latest import has every change up to there.
 */
export function readMeetingChanges({ engine, readAside }: Database): Meetings['changes'] {
  return async ({ organizationId, after, limit, columns }) => {
    const place = placeIn(engine, after);
    const rows = await readAside(organizationId).all<Row>(pageText(engine, columns), [
      organizationId,
      ...[organizationId, ...place, ...limitOf[engine](limit + 1)],
      ...[organizationId, ...place, organizationId, ...limitOf[engine](limit + 1)],
      ...[organizationId, ...place, ...limitOf[engine](limit + 1)],
      ...[limit + 1, limit, MAX_PAGE_BYTES],
    ]);
    const [head] = rows;
    const latest = head?.last_at == null ? new Date(0) : new Date(head.last_at);
    const prunedAt = head?.pruned_at == null ? null : new Date(head.pruned_at);
    const cuts = cutsIn(head?.cuts ?? null);
    if (after !== null && isExpired(after, { latest, prunedAt, cuts })) return null;
    return toPage(rows.filter(isChange), { after, latest, cuts: cuts.length });
  };
}

interface History {
  readonly latest: Date;
  readonly prunedAt: Date | null;
  readonly cuts: readonly Date[];
}

/** Also if the history was cut off before the place since then, so that the reader may have what is lost. */
function isExpired(
  { changedAt, since, cuts: known }: ChangeCursor,
  { latest, prunedAt, cuts }: History,
): boolean {
  // The restored database does not know of a cut that the reader has seen.
  if (known > cuts.length) return true;
  const end = cuts.slice(known).reduce((first, cut) => (cut < first ? cut : first), latest);
  return changedAt > end || since > end || (prunedAt !== null && prunedAt > since);
}

function toPage(
  rows: readonly ChangeRow[],
  {
    after,
    latest,
    cuts,
  }: Pick<History, 'latest'> & Pick<ChangeCursor, 'cuts'> & { readonly after: ChangeCursor | null },
): MeetingChangesPage {
  // The order of the subquery is not promised after the join.
  const changes = rows.map(toChange).sort(byPlace);
  const hasMore = Number(rows[0]?.found ?? 0) > changes.length;
  const last = changes.at(-1);
  const next =
    last === undefined || !hasMore
      ? { changedAt: latest, meetingId: Number.MAX_SAFE_INTEGER, since: latest, cuts }
      : { changedAt: last.changedAt, meetingId: last.id, since: after?.since ?? latest, cuts };
  return { changes, hasMore, next };
}

function isChange(row: Row): row is ChangeRow {
  return row.id !== null;
}

function toChange({ id, changed_at, encoded }: ChangeRow): MeetingChange {
  return { id, changedAt: new Date(changed_at), row: encoded === null ? null : encoded.slice(1) };
}

function byPlace(one: MeetingChange, other: MeetingChange): number {
  return one.changedAt.getTime() - other.changedAt.getTime() || one.id - other.id;
}

function placeIn(engine: Engine, after: ChangeCursor | null): readonly [SqlValue, number] {
  return after === null ? [timeEdges[engine].before, 0] : [after.changedAt, after.meetingId];
}

/** The texts of a page of changes, with `ROW_BYTES` for each row: 1,000 ordinary meetings fit. */
const MAX_PAGE_BYTES = 524_288;
const ROW_BYTES = 100;

/** The size of the row's texts. */
function bytesOf(columns: readonly ExportColumn[]): string {
  const texts = columns.filter(({ type }) => type === 'string' || type === 'text or null');
  return [ROW_BYTES, ...texts.map(({ key }) => `coalesce(octet_length(meetings.${key}), 0)`)].join(' + ');
}

/** SQLite merges the three lists by their indexes. PostgreSQL sorts them, and needs a limit for each. */
const limitOf: Record<Engine, (limit: number) => readonly number[]> = {
  sqlite: () => [],
  postgres: (limit) => [limit],
};

/**
 * One statement, so that everything is from one state of the database: the changes, the organization's program, and the
 * time of the latest import. The page ends when its texts are long, so that no answer is large.
 */
function pageText(engine: Engine, columns: readonly ExportColumn[]): string {
  const rowText = engine === 'sqlite' ? sqliteRowText : postgresRowText;
  return `WITH clock AS MATERIALIZED (
      SELECT (SELECT last_at FROM meeting_clock) AS last_at, (SELECT cuts FROM meeting_clock) AS cuts,
        (SELECT changed_at FROM pruned_tombstones WHERE organization_id = ?) AS pruned_at
    ), page AS MATERIALIZED (
      ${allChanges[engine]} ORDER BY 1, 2 LIMIT ?
    ), sized AS MATERIALIZED (
      SELECT page.*, (
        SELECT ${bytesOf(columns)} FROM meetings WHERE meetings.id = page.id AND NOT page.is_deleted
      ) AS bytes FROM page
    ), placed AS MATERIALIZED (
      SELECT sized.*, count(*) OVER () AS found, row_number() OVER earlier AS place,
        sum(coalesce(bytes, ${ROW_BYTES})) OVER earlier - coalesce(bytes, ${ROW_BYTES}) AS earlier_bytes
      FROM sized WINDOW earlier AS (ORDER BY changed_at, id)
    )
    SELECT clock.last_at, clock.cuts, clock.pruned_at, placed.changed_at, placed.id, placed.found, (
      SELECT ${rowText(columns, 'json')} FROM meetings WHERE meetings.id = placed.id AND NOT placed.is_deleted
    ) AS encoded
    FROM clock LEFT JOIN placed ON placed.place <= ? AND placed.earlier_bytes < ?`;
}

function changesIn(time: string, id: string): string {
  return `(${time}, ${id}) > (?, ?) AND ${time} <= (SELECT last_at FROM meeting_clock)`;
}

const own = `SELECT meetings.updated_at AS changed_at, meetings.id AS id, false AS is_deleted
      FROM meetings WHERE meetings.organization_id = ? AND ${changesIn('meetings.updated_at', 'meetings.id')}`;

/** The conditions about other tables are in subqueries, as in export/selection.ts. */
const tied = `SELECT ties.updated_at, ties.meeting_id, false
      FROM service_meeting_organizations AS ties
      WHERE ties.organization_id = ? AND ${changesIn('ties.updated_at', 'ties.meeting_id')} AND (
        SELECT meetings.id FROM meetings WHERE meetings.id = ties.meeting_id AND meetings.organization_id IS NULL
      ) IS NOT NULL AND (SELECT eap FROM organizations WHERE id = ?)`;

const deleted = `SELECT gone.changed_at, gone.meeting_id, true
      FROM meeting_tombstones AS gone
      WHERE gone.organization_id = ? AND ${changesIn('gone.changed_at', 'gone.meeting_id')}`;

const allChanges: Record<Engine, string> = {
  sqlite: [own, tied, deleted].join(' UNION ALL '),
  postgres: [
    `(${own} ORDER BY meetings.updated_at, meetings.id LIMIT ?)`,
    `(${tied} ORDER BY ties.updated_at, ties.meeting_id LIMIT ?)`,
    `(${deleted} ORDER BY gone.changed_at, gone.meeting_id LIMIT ?)`,
  ].join(' UNION ALL '),
};
