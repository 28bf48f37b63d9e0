import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import pg from 'pg';
import {
  drainedOrGone,
  type Exported,
  type FloorStorage,
  type UpcomingRow,
  wireName,
} from './floor-storage.js';

const CONNECTIONS = 10;
/** Bytes after which other requests get their turn. The buffer is twice as large, so one more read of the socket fits. */
const TURN_BYTES = 262_144;

/** Uses named prepared statements and rows as arrays of texts. Exports use COPY, encoded as JSON on latin1 texts. */
export async function postgresFloor(url: string): Promise<FloorStorage> {
  const free = await Promise.all(Array.from({ length: CONNECTIONS }, () => connected(url)));
  const waiting: ((client: pg.Client) => void)[] = [];
  const exporters: pg.Client[] = [];

  const lend = async (): Promise<pg.Client> =>
    free.pop() ?? new Promise((resolve) => void waiting.push(resolve));
  const giveBack = (client: pg.Client): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(client);
    else next(client);
  };
  const ask = async (name: string, text: string, values: readonly unknown[]): Promise<readonly Texts[]> => {
    const client = await lend();
    try {
      const { rows } = await client.query<Texts>({
        ...{ name, text, values: [...values], rowMode: 'array' },
        types: { getTypeParser: () => asItIs },
      });
      return rows;
    } finally {
      giveBack(client);
    }
  };

  return {
    async keyHolder(hash) {
      const [row = []] = await ask('key', keyText, [hash]);
      return [Number(row[0]), Number(row[1])];
    },
    async access(organizationId) {
      const [row = []] = await ask('access', accessText, [organizationId]);
      return { generation: Number(row[0]), hasProgram: row[1] === 't' };
    },
    async upcoming({ organization, idpId, now, limit, offset }) {
      const rows = await ask('upcoming', upcomingText, [organization, idpId, now, limit, offset]);
      const [generation, total] = (rows[0] ?? []).slice(-2);
      return { generation: Number(generation), total: Number(total), rows: rows.map(upcomingRow) };
    },
    async page({ organization, names, limit, offset }) {
      const id = `page ${limit} ${hashOf(names)}`;
      const [row = []] = await ask(id, pageText(names, limit), [organization, offset]);
      return { generation: Number(row[0]), total: Number(row[1]), rows: Buffer.from(row[2] ?? '') };
    },
    async exportAll(response, exported) {
      const client = exporters.pop() ?? (await exporter(url));
      if (response.destroyed) return void exporters.push(client);
      const isWhole = await copyTo(response, client, exported);
      if (isWhole) exporters.push(client);
      else socketOf(client).destroy();
    },
  };
}

/** A short name, because PostgreSQL truncates long ones. */
function hashOf(names: readonly string[]): string {
  return createHash('sha256').update(names.join()).digest('base64url').slice(0, 22);
}

type Texts = readonly (string | null)[];

const asItIs = (text: string): string => text;

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`SET TimeZone = 'UTC'; SET DateStyle = 'ISO'`);
  return client;
}

/** A connection that reads rows in the order of the index. Otherwise the planner may sort all before it sends the first. */
async function exporter(url: string): Promise<pg.Client> {
  const client = await connected(url);
  await client.query('SET enable_sort = off; SET enable_seqscan = off; SET enable_bitmapscan = off');
  return client;
}

const keyText = 'SELECT id, access_key_generation FROM organizations WHERE access_key_hash = $1';
const accessText = 'SELECT access_key_generation, eap FROM organizations WHERE id = $1';

/** The generation and the total are the last columns. */
const upcomingText = `WITH member AS MATERIALIZED (SELECT user_id FROM memberships WHERE organization_id = $1 AND idp_id = $2),
  listed AS MATERIALIZED (
    SELECT m.id, m.name, m.start_time, m.end_time, m.topic, m.meeting_description, m.location, m.max_attendees,
      m.group_leader_id, p.registered_at, p.status
    FROM (
      SELECT meeting_id, max(registered_at) AS registered_at, max(status) AS status FROM (
        SELECT meeting_id, registered_at, NULL AS status FROM registrations
        WHERE user_id = (SELECT user_id FROM member) AND end_time > $3
        UNION ALL
        SELECT w.meeting_id, NULL, w.status FROM waitlist_entries w
        WHERE user_id = (SELECT user_id FROM member) AND end_time > $3
          AND EXISTS (SELECT 1 FROM meetings x WHERE x.id = w.meeting_id AND x.wait_list)
      ) AS places GROUP BY meeting_id
    ) p JOIN meetings m ON m.id = p.meeting_id
    WHERE coalesce(m.organization_id, $1) = $1 AND m.status NOT IN ('complete', 'cancel')
  )
  SELECT m.id, m.name, m.start_time, m.end_time, m.topic, m.meeting_description, m.location, m.max_attendees,
    (SELECT count(*) FROM registrations r WHERE r.meeting_id = m.id AND r.user_id IS DISTINCT FROM m.group_leader_id),
    l.id, l.first_name, l.last_name, l.avatar, m.registered_at, m.status,
    (SELECT access_key_generation FROM organizations WHERE id = $1), (SELECT count(*) FROM listed)
  FROM (SELECT * FROM listed ORDER BY start_time, id LIMIT $4 OFFSET $5) m
  LEFT JOIN LATERAL (SELECT id, first_name, last_name, avatar FROM users WHERE id = m.group_leader_id LIMIT 1) l ON true
  ORDER BY m.start_time, m.id`;

function upcomingRow(row: Texts): UpcomingRow {
  const [id, name, start, end, topic, description, location, maxAttendees, attendees, leader, ...more] = row;
  const [firstName, lastName, avatar, registered, status] = more;
  return [
    ...([
      Number(id),
      name,
      formatTimestamp(start ?? ''),
      formatTimestamp(end ?? ''),
      topic,
      description,
      location,
    ] as const),
    ...([Number(maxAttendees), Number(attendees), leader == null ? null : Number(leader)] as const),
    ...([
      firstName,
      lastName,
      avatar,
      registered == null ? null : formatTimestamp(registered),
      status,
    ] as const),
  ] as UpcomingRow;
}

/** Converts `2026-11-20 18:00:00.5+00`. */
function formatTimestamp(text: string): string {
  const fraction = text.charAt(19) === '.' ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

// ── A page ─────────────────────────────────────────────────────────────────────────────────────────────────

const OWN = `FROM meetings WHERE organization_id = $1 AND status = 'complete'`;
const COMPLETE = `${OWN} ORDER BY start_time, id`;
const TIED = `FROM service_meeting_organizations AS ties JOIN meetings AS m ON m.id = ties.meeting_id
  WHERE ties.organization_id = $1 AND m.organization_id IS NULL AND m.status = 'complete'`;

/** The keys of the organization's own meetings and of service meetings, in the order of an export. */
const BOTH_KEYS = `SELECT start_time, id ${OWN} UNION ALL SELECT ties.start_time, ties.meeting_id ${TIED} ORDER BY 1, 2`;

/** The generation, the total and the rows. The limit is part of the text: the plan of any limit would read the whole table. */
function pageText(names: readonly string[], limit: number): string {
  const members = names.map((name, index) => {
    return `'${index === 0 ? '' : ','}"${wireName(name)}":', ${values[kindOf(name)](`m.${name}`)}`;
  });
  const list = (keys: string) =>
    `(SELECT string_agg(concat('{', ${members.join(', ')}, '}'), ',' ORDER BY m.start_time, m.id)
      FROM (${keys} LIMIT ${limit} OFFSET $2) AS chosen JOIN meetings m ON m.id = chosen.id)`;
  return `SELECT o.access_key_generation,
      (SELECT meetings FROM complete_meeting_counts WHERE organization_id = o.id)
        + CASE WHEN o.eap THEN (SELECT meetings FROM tied_meeting_counts WHERE organization_id = o.id) ELSE 0 END,
      CASE WHEN o.eap THEN ${list(BOTH_KEYS)} ELSE ${list(`SELECT id ${COMPLETE}`)} END
    FROM organizations o WHERE o.id = $1`;
}

type Kind = 'text' | 'number' | 'price' | 'boolean' | 'timestamp';

const kinds: Readonly<Record<string, Kind>> = {
  start_time: 'timestamp',
  duration: 'number',
  price: 'price',
  max_attendees: 'number',
  group_leader_id: 'number',
  privacy: 'boolean',
  eap: 'boolean',
  allow_meeting_donation: 'boolean',
  invitation_only: 'boolean',
  wait_list: 'boolean',
};

function kindOf(name: string): Kind {
  return kinds[name] ?? 'text';
}

const values: Readonly<Record<Kind, (column: string) => string>> = {
  text: (column) => `coalesce(to_json(${column})::text, 'null')`,
  number: (column) => `coalesce(${column}::text, 'null')`,
  price: (column) => `coalesce(${column}, '0')`,
  boolean: (column) => `CASE WHEN ${column} THEN 'true' ELSE 'false' END`,
  timestamp: (column) => `to_char(${column}, '"\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""')`,
};

// ── The export ─────────────────────────────────────────────────────────────────────────────────────────────

/** The members of a pg connection that its types do not declare. */
interface Wire {
  query(text: string): void;
  readonly stream: Socket;
}

function socketOf(client: pg.Client): Socket {
  return (client as unknown as { readonly connection: Wire }).connection.stream;
}

/** The rows of both kinds of meetings. Each part comes in the order of an index, and PostgreSQL merges them. */
function bothText(names: readonly string[]): string {
  const tied = names.map((name) => `m.${name}`);
  return `SELECT ${names.map((name) => `both_kinds.${name}`).join(', ')} FROM (
      SELECT ${names.join(', ')}, start_time AS first_key, id AS second_key ${OWN}
      UNION ALL
      SELECT ${tied.join(', ')}, ties.start_time, ties.meeting_id ${TIED}
    ) AS both_kinds ORDER BY first_key, second_key`;
}

/** Returns false if the reader has left; the connection cannot be used again. */
async function copyTo(
  response: ServerResponse,
  client: pg.Client,
  { organization, hasProgram, names }: Exported,
): Promise<boolean> {
  const rows = hasProgram ? bothText(names) : `SELECT ${names.join(', ')} ${COMPLETE}`;
  const text = `COPY (${rows.replaceAll('$1', String(organization))}) TO STDOUT`;
  const socket = socketOf(client);
  const encode = rowEncoder(names);
  let buffer = Buffer.allocUnsafe(2 * TURN_BYTES);
  let length = 0;
  let isFirst = true;
  const flush = (): boolean => {
    const isTaken = response.write(buffer.subarray(isFirst ? 1 : 0, length));
    if (isFirst) response.uncork();
    isFirst = false;
    buffer = Buffer.allocUnsafe(2 * TURN_BYTES);
    length = 0;
    return isTaken;
  };
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(false);
    response.once('close', leave);
    const rest = async (): Promise<void> => {
      socket.pause();
      if (!flush()) await drainedOrGone(response);
      setImmediate(() => socket.resume());
    };
    client.query({
      submit: (wire: unknown) => (wire as Wire).query(text),
      handleCopyData({ chunk }: { readonly chunk: Buffer }) {
        length += buffer.write(encode(chunk.toString('latin1', 0, chunk.length - 1)), length, 'latin1');
        if (length >= TURN_BYTES) void rest();
      },
      handleCommandComplete() {},
      handleReadyForQuery() {
        response.off('close', leave);
        if (length > 0) flush();
        resolve(true);
      },
      handleError: reject,
    });
  });
}

/** Encodes a row of COPY as a comma and JSON; both texts are latin1. */
function rowEncoder(names: readonly string[]): (row: string) => string {
  const encoders = names.map((name) => jsonOf[kindOf(name)]);
  const keys = names.map((name, index) => `${index === 0 ? ',{' : ','}"${wireName(name)}":`);
  return (row) => {
    const cells = (special.test(row) ? escaped(row) : row).split('\t');
    let json = '';
    for (let index = 0; index < cells.length; index += 1)
      json += keys[index] + (encoders[index]?.(cells[index] ?? '') ?? '');
    return `${json}}`;
  };
}

const jsonOf: Readonly<Record<Kind, (cell: string) => string>> = {
  text: (cell) => (cell === '\\N' ? 'null' : `"${cell}"`),
  number: (cell) => (cell === '\\N' ? 'null' : cell),
  price: (cell) => (cell === '\\N' ? '0' : cell),
  boolean: (cell) => (cell === 't' ? 'true' : 'false'),
  timestamp: (cell) => `"${formatTimestamp(cell)}"`,
};

/** The characters that JSON escapes differently from COPY. A pair of backslashes is read first. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is for control characters
const special = /["\x01-\x08\x0b-\x1f]|\\v/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is for control characters
const specials = /\\\\|\\v|["\x01-\x08\x0b-\x1f]/g;

function escaped(row: string): string {
  return row.replace(specials, (found) => {
    if (found === '\\\\') return found;
    if (found === '"') return '\\"';
    const code = found === '\\v' ? 11 : found.charCodeAt(0);
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
