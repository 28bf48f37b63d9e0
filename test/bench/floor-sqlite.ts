import { setImmediate } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { SqliteDatabase } from '../support/sqlite.js';
import {
  drainedOrGone,
  type Exported,
  type FloorStorage,
  type UpcomingRow,
  wireName,
} from './floor-storage.js';

/**
 * The statements are the fastest of those that were tried: `format` is faster than `concat` and `json_object`, arrays
 * (`raw`) than objects, and `LIMIT +?` than `LIMIT ?`, which SQLite prepares again for every value.
 */
export function sqliteFloor(file: string): FloorStorage {
  const database = new SqliteDatabase(file, { readonly: true });
  const byHash = database
    .prepare('SELECT id, access_key_generation FROM organizations WHERE access_key_hash = ?')
    .raw();
  const accessOf = database
    .prepare('SELECT access_key_generation, eap FROM organizations WHERE id = ?')
    .raw();
  const memberOf = database
    .prepare(
      `SELECT access_key_generation,
        (SELECT user_id FROM memberships WHERE organization_id = @organization AND idp_id = @idpId)
      FROM organizations WHERE id = @organization`,
    )
    .raw();
  const upcoming = database.prepare(upcomingText).raw();
  const pages = new Map<string, Sqlite.Statement>();
  const free: Exporter[] = [];

  return {
    keyHolder: (hash) => byHash.get(hash) as [number, number],
    access(organizationId) {
      const [generation, eap] = accessOf.get(organizationId) as [number, number];
      return { generation, hasProgram: eap === 1 };
    },
    upcoming({ organization, idpId, now, limit, offset }) {
      const [generation, user] = memberOf.get({ organization, idpId }) as [number, number];
      const rows = upcoming.all({ user, now, organization, limit, offset }) as UpcomingRow[];
      return { generation, rows, total: Number(rows[0]?.at(-1) ?? 0) };
    },
    page({ organization, names, limit, offset }) {
      const isDeep = offset >= DEEP_ROWS;
      const statement = cachedStatement(pages, `${isDeep} ${names.join()}`, () =>
        database.prepare(pageText(names, isDeep)).raw(),
      );
      const [generation, total, rows] = statement.get({ organization, limit, offset }) as [
        number,
        number,
        Buffer | null,
      ];
      return { generation, total, rows: rows ?? Buffer.alloc(0) };
    },
    async exportAll(response, { organization, hasProgram, names }) {
      const exporter = free.pop() ?? openExporter(file);
      const chunk = cachedStatement(exporter.chunks, `${hasProgram} ${names.join()}`, () =>
        exporter.connection.prepare(rowsText({ names, hasProgram, limit: `LIMIT ${ROWS_A_CHUNK}` })).pluck(),
      );
      const ends = hasProgram ? exporter.lastOfBoth : exporter.last;
      exporter.connection.exec('BEGIN');
      for (let after: Key | undefined = ['', 0], first = true; after !== undefined && !response.destroyed; ) {
        const [start, id]: Key = after;
        const last = ends.get({ organization, start, id }) as Key | undefined;
        const rows = chunk.get({ organization, start, id }) as Buffer | null;
        if (rows !== null) {
          if (!first) response.write(',');
          const isTaken = response.write(rows);
          if (first) response.uncork();
          if (!isTaken) await drainedOrGone(response);
        }
        await setImmediate();
        first = false;
        after = last;
      }
      exporter.connection.exec('COMMIT');
      free.push(exporter);
    },
  };
}

const upcomingText = `WITH listed AS MATERIALIZED (
    SELECT m.id, m.start_time, p.registered_at, p.status FROM (
      SELECT meeting_id, max(registered_at) AS registered_at, max(status) AS status FROM (
        SELECT meeting_id, registered_at, NULL AS status FROM registrations WHERE user_id = @user AND end_time > @now
        UNION ALL
        SELECT w.meeting_id, NULL, w.status FROM waitlist_entries w WHERE user_id = @user AND end_time > @now
          AND EXISTS (SELECT 1 FROM meetings x WHERE x.id = w.meeting_id AND x.wait_list)
      ) GROUP BY meeting_id
    ) p CROSS JOIN meetings m ON m.id = p.meeting_id
    WHERE coalesce(m.organization_id, @organization) = @organization AND m.status NOT IN ('complete', 'cancel')
  )
  SELECT m.id, m.name, m.start_time, m.end_time, m.topic, m.meeting_description, m.location, m.max_attendees,
    (SELECT count(*) FROM registrations r WHERE r.meeting_id = m.id AND r.user_id IS NOT m.group_leader_id),
    l.id, l.first_name, l.last_name, l.avatar, p.registered_at, p.status, (SELECT count(*) FROM listed)
  FROM (SELECT * FROM listed ORDER BY start_time, id LIMIT +@limit OFFSET +@offset) p
  CROSS JOIN meetings m ON m.id = p.id LEFT JOIN users l ON l.id = m.group_leader_id`;

const ROWS_A_CHUNK = 500;

const quoted = (column: string): Value => ['%s', `json_quote(${column})`];
const number = (column: string): Value => ['%d', column];
const instant = (column: string): Value => ['"%s"', column];
const boolean = (column: string): Value => ['%s', `iif(${column}, 'true', 'false')`];

/** A place of the format, and what is put there. */
type Value = readonly [place: string, expression: string];

/** All others are texts. */
const columns: Readonly<Record<string, (column: string) => Value>> = {
  start_time: instant,
  duration: number,
  price: (column) => ['%s', `coalesce(${column}, '0')`],
  max_attendees: number,
  group_leader_id: (column) => ['%s', `coalesce(${column}, 'null')`],
  privacy: boolean,
  eap: boolean,
  allow_meeting_donation: boolean,
  invitation_only: boolean,
  wait_list: boolean,
};

const COMPLETE = `FROM meetings WHERE organization_id = @organization AND status = 'complete'`;
const OWN = `${COMPLETE} AND (start_time, id) > (@start, @id)`;

/** The keys of the organization's own meetings and of service meetings, each in the order of an index. */
const BOTH_KEYS = `SELECT start_time, id ${OWN}
  UNION ALL
  SELECT ties.start_time, ties.meeting_id FROM service_meeting_organizations AS ties
  WHERE ties.organization_id = @organization AND (ties.start_time, ties.meeting_id) > (@start, @id)
    AND (SELECT status = 'complete' AND organization_id IS NULL FROM meetings WHERE id = ties.meeting_id)
  ORDER BY 1, 2`;

interface Rows extends Pick<Exported, 'names' | 'hasProgram'> {
  readonly limit: string;
}

function rowsText({ names, hasProgram, limit }: Rows): string {
  const found = hasProgram
    ? `FROM (${BOTH_KEYS} ${limit}) AS keys CROSS JOIN meetings ON meetings.id = keys.id ORDER BY keys.start_time, keys.id`
    : `${OWN} ORDER BY start_time, id ${limit}`;
  return `SELECT CAST(group_concat(object, ',') AS BLOB) FROM (SELECT ${objectText(names)} AS object ${found})`;
}

function objectText(names: readonly string[]): string {
  const values = names.map((name): Value => (columns[name] ?? quoted)(`meetings.${name}`));
  const members = names.map((name, index) => `"${wireName(name)}":${values[index]?.[0]}`);
  return `format('{${members.join(',')}}', ${values.map(([, expression]) => expression).join(', ')})`;
}

/** From this offset on, the ids of a page are looked up first, so that no skipped row is read. */
const DEEP_ROWS = 1000;
const PAGE = 'ORDER BY start_time, id LIMIT +@limit OFFSET +@offset';

/** The generation, the total and the rows. */
function pageText(names: readonly string[], isDeep: boolean): string {
  const ofKeys = (keys: string) =>
    `(SELECT CAST(group_concat(${objectText(names)}, ',') AS BLOB)
      FROM (${keys} ${PAGE}) AS keys CROSS JOIN meetings ON meetings.id = keys.id)`;
  const direct = `(SELECT CAST(group_concat(object, ',') AS BLOB) FROM (SELECT ${objectText(names)} AS object ${COMPLETE} ${PAGE}))`;
  const tied = `SELECT ties.start_time, ties.meeting_id FROM service_meeting_organizations AS ties
    WHERE ties.organization_id = @organization
      AND (SELECT status = 'complete' AND organization_id IS NULL FROM meetings WHERE id = ties.meeting_id)`;
  const own = `SELECT start_time, id ${COMPLETE}`;
  return `SELECT o.access_key_generation,
      (SELECT meetings FROM complete_meeting_counts WHERE organization_id = o.id)
        + iif(o.eap, (SELECT meetings FROM tied_meeting_counts WHERE organization_id = o.id), 0),
      iif(o.eap, ${ofKeys(`SELECT start_time, id FROM (${own} UNION ALL ${tied})`)}, ${isDeep ? ofKeys(own) : direct})
    FROM organizations o WHERE o.id = @organization`;
}

/** A connection for one export at a time, because its transaction is the export's snapshot. */
interface Exporter {
  readonly connection: Sqlite.Database;
  readonly last: Sqlite.Statement;
  readonly lastOfBoth: Sqlite.Statement;
  readonly chunks: Map<string, Sqlite.Statement>;
}

type Key = readonly [start: string, id: number];

function openExporter(file: string): Exporter {
  const connection = new SqliteDatabase(file, { readonly: true });
  const last = connection
    .prepare(`SELECT start_time, id ${OWN} ORDER BY start_time, id LIMIT 1 OFFSET ${ROWS_A_CHUNK - 1}`)
    .raw();
  const lastOfBoth = connection.prepare(`${BOTH_KEYS} LIMIT 1 OFFSET ${ROWS_A_CHUNK - 1}`).raw();
  return { connection, last, lastOfBoth, chunks: new Map() };
}

function cachedStatement(
  statements: Map<string, Sqlite.Statement>,
  id: string,
  make: () => Sqlite.Statement,
): Sqlite.Statement {
  const statement = statements.get(id) ?? make();
  statements.set(id, statement);
  return statement;
}
