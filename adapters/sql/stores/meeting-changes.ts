import type { ChangeCursor, ExportColumn, MeetingChange, MeetingChangesPage, Meetings } from '@rollcall/core';
import { type Database, type Engine, timeEdges } from '../engine/database.js';
import { joinTexts, listOf, raw, SQL, type SqlText } from '../engine/sql-text.js';
import { select } from '../engine/statements.js';
import { rowText } from '../export/row-text.js';
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
    const text = pageText(engine, columns, { organizationId, after, limit });
    const rows = await select<Row>(readAside(organizationId))(text);
    const [head] = rows;
    const latest = head?.last_at == null ? new Date(0) : new Date(head.last_at);
    const prunedAt = head?.pruned_at == null ? null : new Date(head.pruned_at);
    const cuts = cutsIn(head?.cuts ?? null);
    if (after !== null && isExpired(after, { latest, prunedAt, cuts })) return null;
    return toPage(rows.filter(isChange), after, { latest, cuts: cuts.length });
  };
}

type Wanted = Omit<Parameters<Meetings['changes']>[0], 'columns'>;

interface History {
  readonly latest: Date;
  readonly prunedAt: Date | null;
  readonly cuts: readonly Date[];
}

/** Also if the history was cut off before the place since then, so that the reader may have what is lost. */
function isExpired({ changedAt, since, cuts: known }: ChangeCursor, { latest, prunedAt, cuts }: History) {
  // The restored database does not know of a cut that the reader has seen.
  if (known > cuts.length) return true;
  const end = cuts.slice(known).reduce((first, cut) => (cut < first ? cut : first), latest);
  return changedAt > end || since > end || (prunedAt !== null && prunedAt > since);
}

function toPage(
  rows: readonly ChangeRow[],
  after: ChangeCursor | null,
  { latest, cuts }: Pick<History, 'latest'> & Pick<ChangeCursor, 'cuts'>,
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

/** The texts of a page of changes, with `ROW_BYTES` for each row: 1,000 ordinary meetings fit. */
const MAX_PAGE_BYTES = 524_288;
const ROW_BYTES = 100;

/** The size of the row's texts. */
function bytesOf(columns: readonly ExportColumn[]): string {
  const texts = columns.filter(({ type }) => type === 'string' || type === 'text or null');
  return [ROW_BYTES, ...texts.map(({ key }) => `coalesce(octet_length(meetings.${key}), 0)`)].join(' + ');
}

/**
 * One statement, so that everything is from one state of the database: the changes, the organization's program, and the
 * time of the latest import. The page ends when its texts are long, so that no answer is large.
 */
function pageText(engine: Engine, columns: readonly ExportColumn[], wanted: Wanted): SqlText {
  const { organizationId, limit } = wanted;
  const row = raw(rowText({ engine, columns, form: 'json' }));
  const rowBytes = raw(ROW_BYTES);
  return SQL`WITH clock AS MATERIALIZED (
      SELECT (SELECT last_at FROM meeting_clock) AS last_at, (SELECT cuts FROM meeting_clock) AS cuts,
        (SELECT changed_at FROM pruned_tombstones WHERE organization_id = ${organizationId}) AS pruned_at
    ), page AS MATERIALIZED (
      ${allChanges(engine, wanted)} ORDER BY 1, 2 LIMIT ${limit + 1}
    ), sized AS MATERIALIZED (
      SELECT page.*, (
        SELECT ${raw(bytesOf(columns))} FROM meetings WHERE meetings.id = page.id AND NOT page.is_deleted
      ) AS bytes FROM page
    ), placed AS MATERIALIZED (
      SELECT sized.*, count(*) OVER () AS found, row_number() OVER earlier AS place,
        sum(coalesce(bytes, ${rowBytes})) OVER earlier - coalesce(bytes, ${rowBytes}) AS earlier_bytes
      FROM sized WINDOW earlier AS (ORDER BY changed_at, id)
    )
    SELECT clock.last_at, clock.cuts, clock.pruned_at, placed.changed_at, placed.id, placed.found, (
      SELECT ${row} FROM meetings WHERE meetings.id = placed.id AND NOT placed.is_deleted
    ) AS encoded
    FROM clock LEFT JOIN placed ON placed.place <= ${limit} AND placed.earlier_bytes < ${MAX_PAGE_BYTES}`;
}

/** SQLite merges the three lists by their indexes. PostgreSQL sorts them, and needs a limit for each. */
function allChanges(engine: Engine, { organizationId, after, limit }: Wanted): SqlText {
  const place = listOf(after === null ? [timeEdges[engine].before, 0] : [after.changedAt, after.meetingId]);
  const list = (
    selected: SqlText,
    [time, id]: readonly [time: SqlText, id: SqlText],
    condition = raw(''),
  ) => {
    const changes = SQL`${selected} AND (${time}, ${id}) > (${place})
      AND ${time} <= (SELECT last_at FROM meeting_clock)${condition}`;
    return engine === 'sqlite' ? changes : SQL`(${changes} ORDER BY ${time}, ${id} LIMIT ${limit + 1})`;
  };
  const own = SQL`SELECT meetings.updated_at AS changed_at, meetings.id AS id, false AS is_deleted
      FROM meetings WHERE meetings.organization_id = ${organizationId}`;
  const tied = SQL`SELECT ties.updated_at, ties.meeting_id, false
      FROM service_meeting_organizations AS ties WHERE ties.organization_id = ${organizationId}`;
  // The conditions about other tables are in subqueries, as in export/selection.ts.
  const isSeen = SQL` AND (
        SELECT meetings.id FROM meetings WHERE meetings.id = ties.meeting_id AND meetings.organization_id IS NULL
      ) IS NOT NULL AND (SELECT eap FROM organizations WHERE id = ${organizationId})`;
  const deleted = SQL`SELECT gone.changed_at, gone.meeting_id, true
      FROM meeting_tombstones AS gone WHERE gone.organization_id = ${organizationId}`;
  const lists = [
    list(own, [raw('meetings.updated_at'), raw('meetings.id')]),
    list(tied, [raw('ties.updated_at'), raw('ties.meeting_id')], isSeen),
    list(deleted, [raw('gone.changed_at'), raw('gone.meeting_id')]),
  ];
  return joinTexts(lists, ' UNION ALL ');
}
