import { setImmediate } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { SqliteDatabase } from '../support/sqlite.js';
import { drainedOrGone, type FloorStorage, type UpcomingRow, wireName } from './floor-storage.js';

/**
 * The statements are the fastest of those that were tried: `concat` and `json_quote` are faster than `json_object`, arrays
 * (`raw`) than objects, and `LIMIT +?` than `LIMIT ?`, which SQLite prepares again for every value.
 */
export function sqliteFloor(file: string): FloorStorage {
  const database = new SqliteDatabase(file, { readonly: true });
  const byHash = database
    .prepare('SELECT id, access_key_generation FROM organizations WHERE access_key_hash = ?')
    .raw();
  const generationOf = database
    .prepare('SELECT access_key_generation FROM organizations WHERE id = ?')
    .pluck();
  const userOf = database
    .prepare('SELECT user_id FROM memberships WHERE organization_id = ? AND idp_id = ?')
    .pluck();
  const upcoming = database.prepare(upcomingText).raw();
  const counter = database
    .prepare('SELECT meetings FROM complete_meeting_counts WHERE organization_id = ?')
    .pluck();
  const pages = new Map<string, Sqlite.Statement>();
  const free: Exporter[] = [];

  return {
    keyHolder: (hash) => byHash.get(hash) as [number, number],
    generation: (organizationId) => generationOf.get(organizationId) as number,
    upcoming({ organization, idpId, now }) {
      const user = userOf.get(organization, idpId) as number;
      return upcoming.all({ user, now, organization }) as UpcomingRow[];
    },
    page({ organization, names, limit, offset }) {
      const statement = cachedStatement(pages, names, () =>
        database.prepare(rowsText(names, 'LIMIT +? OFFSET +?')).pluck(),
      );
      const rows = statement.get(organization, '', 0, limit, offset) as Buffer | null;
      return { rows: rows ?? Buffer.alloc(0), total: counter.get(organization) as number };
    },
    async exportAll(response, { organization, names }) {
      const exporter = free.pop() ?? openExporter(file);
      const chunk = cachedStatement(exporter.chunks, names, () =>
        exporter.connection.prepare(rowsText(names, `LIMIT ${ROWS_A_CHUNK}`)).pluck(),
      );
      exporter.connection.exec('BEGIN');
      for (let after: Key | undefined = ['', 0], first = true; after !== undefined && !response.destroyed; ) {
        const last = exporter.last.get(organization, ...after) as Key | undefined;
        const rows = chunk.get(organization, ...after) as Buffer | null;
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

const upcomingText = `SELECT m.id, m.name, m.start_time, m.end_time, m.topic, m.meeting_description, m.location, m.max_attendees,
    (SELECT count(*) FROM registrations r WHERE r.meeting_id = m.id AND r.user_id IS NOT m.group_leader_id),
    l.id, l.first_name, l.last_name, l.avatar, p.registered_at, p.status
  FROM (
    SELECT meeting_id, max(registered_at) AS registered_at, max(status) AS status FROM (
      SELECT meeting_id, registered_at, NULL AS status FROM registrations WHERE user_id = @user AND end_time > @now
      UNION ALL
      SELECT w.meeting_id, NULL, w.status FROM waitlist_entries w WHERE user_id = @user AND end_time > @now
        AND EXISTS (SELECT 1 FROM meetings x WHERE x.id = w.meeting_id AND x.wait_list)
    ) GROUP BY meeting_id
  ) p CROSS JOIN meetings m ON m.id = p.meeting_id LEFT JOIN users l ON l.id = m.group_leader_id
  WHERE coalesce(m.organization_id, @organization) = @organization AND m.status NOT IN ('complete', 'cancel')
  ORDER BY m.start_time, m.id`;

const ROWS_A_CHUNK = 500;

const quoted = (column: string): string => `json_quote(${column})`;
const plain = (column: string): string => column;
const instant = (column: string): string => `'"', ${column}, '"'`;
const boolean = (column: string): string => `iif(${column}, 'true', 'false')`;

const columns: Readonly<Record<string, (column: string) => string>> = {
  name: quoted,
  meeting_type: quoted,
  start_time: instant,
  duration: plain,
  status: quoted,
  topic: quoted,
  special_focus: quoted,
  host: quoted,
  location: quoted,
  price: (column) => `coalesce(${column}, '0')`,
  max_attendees: plain,
  meeting_description: quoted,
  group_leader_id: (column) => `coalesce(${column}, 'null')`,
  privacy: boolean,
  eap: boolean,
  allow_meeting_donation: boolean,
  invitation_only: boolean,
  wait_list: boolean,
};

const COMPLETE = `FROM meetings WHERE organization_id = ? AND (start_time, id) > (?, ?) AND status = 'complete'
  ORDER BY start_time, id`;

function rowsText(names: readonly string[], limit: string): string {
  const members = names.map((name, index) => {
    return `'${index === 0 ? '' : ','}"${wireName(name)}":', ${columns[name]?.(name)}`;
  });
  return `SELECT CAST(group_concat(object, ',') AS BLOB) FROM (
    SELECT concat('{', ${members.join(', ')}, '}') AS object ${COMPLETE} ${limit}
  )`;
}

/** A connection for one export at a time, because its transaction is the export's snapshot. */
interface Exporter {
  readonly connection: Sqlite.Database;
  readonly last: Sqlite.Statement;
  readonly chunks: Map<string, Sqlite.Statement>;
}

type Key = readonly [start: string, id: number];

function openExporter(file: string): Exporter {
  const connection = new SqliteDatabase(file, { readonly: true });
  const last = connection
    .prepare(`SELECT start_time, id ${COMPLETE} LIMIT 1 OFFSET ${ROWS_A_CHUNK - 1}`)
    .raw();
  return { connection, last, chunks: new Map() };
}

function cachedStatement(
  statements: Map<string, Sqlite.Statement>,
  names: readonly string[],
  make: () => Sqlite.Statement,
): Sqlite.Statement {
  const id = names.join();
  const statement = statements.get(id) ?? make();
  statements.set(id, statement);
  return statement;
}
