import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { exportColumns } from '@rollcall/core/rules';
import express, { type Express, type Request, type Response } from 'express';
import pg from 'pg';
import { sqliteDriver } from '#adapters/sql/sqlite/driver.js';

/**
 * A second floor for pages of the export and for upcoming meetings, written without knowledge of the first one or of the
 * product's SQL. It accepts the product's tokens and answers correct requests with the same bodies. It has no other
 * operations, limits, log or deadlines.
 */
export interface SecondFloor {
  readonly app: Express;
  close(): Promise<void>;
}

export interface SecondFloorOptions {
  /** A database that the product has created: `sqlite:<path>` or `postgres://…`. */
  readonly databaseUrl: string;
  /** The key that the product signs its tokens with. */
  readonly tokenKey: KeyObject;
  /** The `PUBLIC_URL` of the product, which is part of the address of the default avatar. */
  readonly publicUrl: string;
  /** The number of connections to PostgreSQL. */
  readonly connections?: number;
  readonly now?: () => Date;
}

interface Page {
  readonly generation: number;
  readonly total: number;
  /** The meetings as JSON, separated by commas. */
  readonly meetings: string | Buffer;
}

interface Upcoming {
  readonly generation: number;
  readonly isMember: boolean;
  readonly total: number;
  readonly meetings: readonly UpcomingRow[];
}

/** In the order of `upcomingColumns`, followed by the number of seats. */
type UpcomingRow = readonly (string | number | null)[];

/** The two questions. Null: no such organization. */
interface Engine {
  page(
    organizationId: number,
    range: { readonly columns: readonly string[]; readonly limit: number; readonly offset: number },
  ): Page | null | Promise<Page | null>;
  upcoming(
    organizationId: number,
    range: { readonly idpId: string; readonly limit: number; readonly offset: number },
  ): Upcoming | null | Promise<Upcoming | null>;
  close(): Promise<void>;
}

const numbers = ['duration', 'max_attendees'];
const flags = ['privacy', 'eap', 'allow_meeting_donation', 'invitation_only', 'wait_list'];
const exportable = new Set<string>(exportColumns.map(({ key }) => key));

const keyOf = (column: string): string => (column === 'group_leader_id' ? 'group_leader' : column);

const isOpen = `m.status NOT IN ('complete', 'cancel')`;

export async function openSecondFloor({
  databaseUrl,
  tokenKey,
  publicUrl,
  connections = 8,
  now = () => new Date(),
}: SecondFloorOptions): Promise<SecondFloor> {
  const engine = databaseUrl.startsWith('sqlite:')
    ? sqlite(databaseUrl.slice('sqlite:'.length), now)
    : await postgres(databaseUrl, connections, now);
  const tokens = tokensSignedWith(tokenKey, now);
  const defaultAvatar = `${publicUrl}/assets/default-avatar.svg`;

  const app = express();
  app.disable('x-powered-by');
  app.get('/api/v2/organizations/:id/export_meetings', async (request, response) => {
    const token = tokens.read(request.headers.authorization);
    if (token === null) return refuse(response, 401, 'Unauthorized Access');
    const organizationId = Number(request.params.id);
    if (token.organizationId !== organizationId) return refuse(response, 401, 'Not Authorized');
    const columns = columnsOf(request);
    const page = atLeastOne(request.query.page, 1);
    const perPage = Math.min(100, atLeastOne(request.query.per_page, 100));
    const found = await engine.page(organizationId, {
      columns,
      limit: perPage,
      offset: (page - 1) * perPage,
    });
    if (found === null || found.generation !== token.generation) {
      return refuse(response, 401, 'Unauthorized Access');
    }
    const { total, meetings } = found;
    const start = `{"success":true,"metadata":{"page":${page},"per_page":${perPage},"total_pages":${Math.ceil(total / perPage)},"total_count":${total}},"meetings":[`;
    answer(
      response,
      200,
      typeof meetings === 'string'
        ? Buffer.from(`${start}${meetings}]}`)
        : Buffer.concat([Buffer.from(start), meetings, end]),
    );
  });
  app.get('/api/v2/organizations/:id/members/:member/upcoming_meetings', async (request, response) => {
    const token = tokens.read(request.headers.authorization);
    if (token === null) return refuse(response, 401, 'Unauthorized Access');
    const organizationId = Number(request.params.id);
    if (token.organizationId !== organizationId) return refuse(response, 401, 'Not Authorized');
    const page = atLeastOne(request.query.page, 1);
    const items = Math.min(100, atLeastOne(request.query.items, 10));
    const found = await engine.upcoming(organizationId, {
      idpId: request.params.member,
      limit: items,
      offset: (page - 1) * items,
    });
    if (found === null || found.generation !== token.generation) {
      return refuse(response, 401, 'Unauthorized Access');
    }
    if (!found.isMember) return refuse(response, 404, 'User not found on Service');
    const { total, meetings } = found;
    let body = `{"current_page":${page},"items":${items},"total_items":${total},"total_pages":${Math.ceil(total / items)},"meetings":[`;
    for (let index = 0; index < meetings.length; index++) {
      if (index > 0) body += ',';
      body += upcomingMeeting(meetings[index] as UpcomingRow, defaultAvatar);
    }
    answer(response, 200, Buffer.from(`${body}]}`));
  });

  return {
    app,
    close: () => engine.close(),
  };
}

const end = Buffer.from(']}');

function answer(response: Response, status: number, body: Buffer): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
  });
  response.end(body);
}

function refuse(response: Response, status: number, error: string): void {
  answer(response, status, Buffer.from(JSON.stringify({ error })));
}

function columnsOf({ query }: Request): readonly string[] {
  const given = query['column[]'] ?? query.column ?? [];
  const columns = (Array.isArray(given) ? given : [given]) as readonly string[];
  if (!columns.every((column) => exportable.has(column))) throw new Error('unknown column');
  return columns;
}

function atLeastOne(given: unknown, otherwise: number): number {
  const number = Math.trunc(Number(given ?? otherwise));
  return Number.isFinite(number) ? Math.max(1, number) : otherwise;
}

// ── Tokens: a token that was verified before is remembered, so that only its times and key are checked again ──

interface Token {
  readonly organizationId: number;
  readonly generation: number;
  readonly expiresAt: number;
}

function tokensSignedWith(key: KeyObject, clock: () => Date) {
  const verified = new Map<string, Token>();

  function verify(header: string): Token | null {
    const [head = '', claims = '', signature = ''] = header.slice('Bearer '.length).split('.');
    const given = Buffer.from(signature, 'base64url');
    const expected = createHmac('sha256', key).update(`${head}.${claims}`).digest();
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    if (verified.size >= 1_000) verified.clear();
    const { sub, gen, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const token = { organizationId: Number(sub), generation: gen, expiresAt: exp * 1_000 };
    verified.set(header, token);
    return token;
  }

  return {
    read(header: string | undefined): Token | null {
      if (header === undefined || !header.startsWith('Bearer ')) return null;
      const token = verified.get(header) ?? verify(header);
      return token !== null && token.expiresAt > clock().getTime() ? token : null;
    },
  };
}

// ── Upcoming meetings as JSON ──

const upcomingColumns = [
  'id',
  'name',
  'start_time',
  'end_time',
  'topic',
  'meeting_description',
  'location',
  'max_attendees',
  'group_leader_id',
];

function upcomingMeeting(row: UpcomingRow, defaultAvatar: string): string {
  const [
    id,
    name,
    start,
    ends,
    topic,
    description,
    location,
    max,
    leader,
    waiting,
    at,
    seats,
    first,
    last,
    avatar,
  ] = row;
  const startTime = timestamp(start as string);
  const endTime = timestamp(ends as string);
  const minutes = Math.floor((Date.parse(endTime) - Date.parse(startTime)) / 60_000);
  const groupLeader =
    leader === null
      ? 'null'
      : `{"id":${leader},"name":${JSON.stringify(`${first} ${initialOf(last as string)}.`)},"avatar":${JSON.stringify(avatar ?? defaultAvatar)}}`;
  return `{"id":${id},"name":${JSON.stringify(name)},"start_time":"${startTime}","end_time":"${endTime}","duration":"${durationText(minutes)}","duration_in_minutes":${minutes},"topic":${JSON.stringify(topic)},"description":${JSON.stringify(description)},"location":${JSON.stringify(location)},"max_attendees":${max},"registered_attendees":${seats},"group_leader":${groupLeader},"waiting_status":${waiting === null ? 'null' : `"${waiting}"`},"registered":${at !== null},"registered_at":${at === null ? 'null' : `"${timestamp(at as string)}"`}}`;
}

function initialOf(lastName: string): string {
  const [initial = ''] = lastName.trim();
  return initial.toUpperCase();
}

function durationText(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes - hours * 60;
  const restText = rest === 1 ? '1 minute' : `${rest} minutes`;
  if (hours === 0) return restText;
  const hoursText = hours === 1 ? '1 hour' : `${hours} hours`;
  return rest === 0 ? hoursText : `${hoursText} ${restText}`;
}

/** SQLite has the text of the answer. PostgreSQL has `2026-11-20 18:00:00+00`, with the fraction of a second if any. */
function timestamp(text: string): string {
  if (text.length === 24) return text.charCodeAt(10) === 84 ? text : new Date(text).toISOString();
  if (text.length === 22) return `${text.slice(0, 10)}T${text.slice(11, 19)}.000Z`;
  return new Date(text).toISOString();
}

// ── SQLite: one statement for each request, and the JSON of the export made by the database ──

function sqlite(path: string, clock: () => Date): Engine {
  const Driver = sqliteDriver();
  const database = new Driver(path, { readonly: true, fileMustExist: true });
  database.pragma('mmap_size = 1073741824');

  const own = `SELECT id, start_time FROM meetings
    WHERE organization_id = @organization AND status = 'complete'`;
  const tied = `SELECT s.meeting_id, s.start_time FROM service_meeting_organizations s
    JOIN meetings m ON m.id = s.meeting_id AND m.organization_id IS NULL AND m.status = 'complete'
    WHERE s.organization_id = @organization`;
  const ids = (rows: string) =>
    `SELECT id FROM (${rows}) ORDER BY start_time, id LIMIT +@limit OFFSET +@offset`;

  const value = (column: string): readonly [format: string, argument: string] => {
    if (numbers.includes(column)) return ['%d', `m.${column}`];
    if (flags.includes(column)) return ['%s', `iif(m.${column}, 'true', 'false')`];
    if (column === 'start_time') return ['"%s"', `m.${column}`];
    if (column === 'price') return ['%s', `coalesce(m.price, '0')`];
    if (column === 'group_leader_id') return ['%s', `coalesce(m.group_leader_id, 'null')`];
    return ['%s', `json_quote(m.${column})`];
  };
  /** `format` is twice as fast as `json_object`. */
  const list = (columns: readonly string[], found: string) => {
    const values = columns.map(value);
    const form = columns.map((column, index) => `"${keyOf(column)}":${values[index]?.[0]}`).join(',');
    const parts = [`'{${form}}'`, ...values.map(([, argument]) => argument)];
    return `(SELECT CAST(group_concat(format(${parts.join(', ')})) AS BLOB)
      FROM (${found}) AS p CROSS JOIN meetings m ON m.id = p.id)`;
  };
  const pages = new Map<string, ReturnType<typeof preparePage>>();
  function preparePage(columns: readonly string[]) {
    return database
      .prepare(
        `SELECT o.access_key_generation,
          coalesce((SELECT meetings FROM complete_meeting_counts WHERE organization_id = @organization), 0)
            + iif(o.eap, coalesce((SELECT meetings FROM tied_meeting_counts WHERE organization_id = @organization), 0), 0),
          iif(o.eap, ${list(columns, ids(`${own} UNION ALL ${tied}`))}, ${list(columns, ids(own))})
        FROM organizations o WHERE o.id = @organization`,
      )
      .raw();
  }

  const upcoming = database
    .prepare(
      `WITH seats AS (
        SELECT meeting_id, max(registered_at) AS registered_at, max(status) AS status
        FROM (
          SELECT meeting_id, registered_at, NULL AS status FROM registrations WHERE user_id = @user AND end_time > @now
          UNION ALL
          SELECT meeting_id, NULL, status FROM waitlist_entries WHERE user_id = @user AND end_time > @now
        ) GROUP BY meeting_id
      ), listed AS MATERIALIZED (
        SELECT m.id, m.start_time, seats.registered_at, iif(m.wait_list, seats.status, NULL) AS waiting
        FROM seats CROSS JOIN meetings m ON m.id = seats.meeting_id
        WHERE (m.organization_id = @organization OR m.organization_id IS NULL) AND ${isOpen}
          AND (seats.registered_at IS NOT NULL OR m.wait_list)
      )
      SELECT ${upcomingColumns.map((column) => `m.${column}`).join(', ')}, p.waiting, p.registered_at,
        (SELECT count(*) FROM registrations r WHERE r.meeting_id = p.id AND r.user_id IS NOT m.group_leader_id),
        l.first_name, l.last_name, l.avatar, (SELECT count(*) FROM listed)
      FROM (SELECT * FROM listed ORDER BY start_time, id LIMIT +@limit OFFSET +@offset) AS p
      CROSS JOIN meetings m ON m.id = p.id LEFT JOIN users l ON l.id = m.group_leader_id`,
    )
    .raw();
  const member = database
    .prepare(
      `SELECT o.access_key_generation,
        (SELECT user_id FROM memberships WHERE organization_id = @organization AND idp_id = @member)
      FROM organizations o WHERE o.id = @organization`,
    )
    .raw();

  const begin = database.prepare('BEGIN');
  const commit = database.prepare('COMMIT');
  const readUpcoming: Engine['upcoming'] = (organizationId, { idpId, limit, offset }) => {
    const [generation, userId] = (member.get({ organization: organizationId, member: idpId }) ?? []) as [
      number?,
      number?,
    ];
    if (generation === undefined) return null;
    if (userId == null) return { generation, isMember: false, total: 0, meetings: [] };
    const now = clock().toISOString();
    const rows = (count: number, from: number) =>
      upcoming.all({
        user: userId,
        now,
        organization: organizationId,
        limit: count,
        offset: from,
      }) as UpcomingRow[];
    const meetings = rows(limit, offset);
    const total = (meetings[0] ?? (offset > 0 ? rows(1, 0)[0] : undefined))?.at(-1) ?? 0;
    return { generation, isMember: true, total: Number(total), meetings };
  };

  return {
    page(organizationId, { columns, limit, offset }) {
      const key = columns.join();
      let statement = pages.get(key);
      if (statement === undefined) {
        statement = preparePage(columns);
        pages.set(key, statement);
      }
      const row = statement.get({ organization: organizationId, limit, offset }) as
        | [number, number, Buffer | null]
        | undefined;
      return row === undefined ? null : { generation: row[0], total: row[1], meetings: row[2] ?? '' };
    },
    upcoming(organizationId, range) {
      begin.run();
      try {
        return readUpcoming(organizationId, range);
      } finally {
        commit.run();
      }
    },
    async close() {
      database.close();
    },
  };
}

// ── PostgreSQL: one prepared statement and one round trip for each request ──

async function postgres(url: string, connections: number, clock: () => Date): Promise<Engine> {
  const pool = await clients(url, connections);

  const own = `SELECT id, start_time FROM meetings WHERE organization_id = $1 AND status = 'complete'`;
  const tied = `SELECT s.meeting_id, s.start_time FROM service_meeting_organizations s
    JOIN meetings m ON m.id = s.meeting_id AND m.organization_id IS NULL AND m.status = 'complete'
    WHERE s.organization_id = $1`;
  const value = (column: string): string => {
    if (column === 'price') return `coalesce(m.price, '0')::json AS price`;
    if (column === 'group_leader_id') return 'm.group_leader_id AS group_leader';
    return `m.${column}`;
  };
  // The limit is part of the text: the plan of any limit would read the whole table.
  const list = (columns: readonly string[], limit: number, found: string) => `(
      SELECT string_agg(meeting::text, ',' ORDER BY start_time, id)
      FROM (
        SELECT p.id, p.start_time, row_to_json((SELECT x FROM (SELECT ${columns.map(value).join(', ')}) AS x)) AS meeting
        FROM (${found} ORDER BY start_time, id LIMIT ${limit} OFFSET $2) AS p JOIN meetings m ON m.id = p.id
      ) AS page)`;
  const pages = new Map<string, { readonly name: string; readonly text: string }>();
  const pageOf = (columns: readonly string[], limit: number) => ({
    name: `page ${pages.size}`,
    text: `SELECT o.access_key_generation,
        coalesce((SELECT meetings FROM complete_meeting_counts WHERE organization_id = $1), 0)
          + CASE WHEN o.eap THEN coalesce((SELECT meetings FROM tied_meeting_counts WHERE organization_id = $1), 0)
            ELSE 0 END,
        CASE WHEN o.eap THEN ${list(columns, limit, `${own} UNION ALL ${tied}`)} ELSE ${list(columns, limit, own)} END
      FROM organizations o WHERE o.id = $1`,
  });

  const seats = (table: string, values: string) =>
    `SELECT meeting_id, ${values} FROM ${table} WHERE user_id = (SELECT user_id FROM member) AND end_time > $5::timestamptz`;
  const upcoming = {
    name: 'upcoming',
    text: `WITH member AS MATERIALIZED (
        SELECT user_id FROM memberships WHERE organization_id = $1 AND idp_id = $2
      ), listed AS MATERIALIZED (
        SELECT ${upcomingColumns.map((column) => `m.${column}`).join(', ')},
          CASE WHEN m.wait_list THEN seats.status END AS waiting, seats.registered_at
        FROM (
          SELECT meeting_id, max(registered_at) AS registered_at, max(status) AS status
          FROM (
            ${seats('registrations', 'registered_at, NULL AS status')}
            UNION ALL
            ${seats('waitlist_entries', 'NULL, status')}
          ) AS places GROUP BY meeting_id
        ) AS seats JOIN meetings m ON m.id = seats.meeting_id
        WHERE (m.organization_id = $1 OR m.organization_id IS NULL) AND ${isOpen}
          AND (seats.registered_at IS NOT NULL OR m.wait_list)
      )
      SELECT p.*,
        (SELECT count(*) FROM registrations r
          WHERE r.meeting_id = p.id AND r.user_id IS DISTINCT FROM p.group_leader_id),
        l.first_name, l.last_name, l.avatar,
        o.access_key_generation, (SELECT user_id FROM member), (SELECT count(*) FROM listed)
      FROM organizations o
      LEFT JOIN (SELECT * FROM listed ORDER BY start_time, id LIMIT $3 OFFSET $4) AS p ON true
      LEFT JOIN LATERAL (
        SELECT first_name, last_name, avatar FROM users WHERE id = p.group_leader_id LIMIT 1
      ) AS l ON true
      WHERE o.id = $1 ORDER BY p.start_time, p.id`,
  };

  return {
    async page(organizationId, { columns, limit, offset }) {
      const key = [limit, ...columns].join();
      let statement = pages.get(key);
      if (statement === undefined) {
        statement = pageOf(columns, limit);
        pages.set(key, statement);
      }
      const [row] = await pool.query({ ...statement, values: [organizationId, offset] });
      if (row === undefined) return null;
      const meetings = (row[2] ?? '').replace(
        jsonTime,
        (_all, time: string) => `"start_time":"${jsTime(time)}"`,
      );
      return { generation: Number(row[0]), total: Number(row[1]), meetings };
    },
    async upcoming(organizationId, { idpId, limit, offset }) {
      const rows = await pool.query({
        ...upcoming,
        values: [organizationId, idpId, limit, offset, clock().toISOString()],
      });
      const [first] = rows;
      if (first === undefined) return null;
      const [generation, userId, total] = first.slice(-3);
      return {
        generation: Number(generation),
        isMember: userId !== null,
        total: Number(total),
        meetings: first[0] === null ? [] : rows,
      };
    },
    close: () => pool.close(),
  };
}

/** The key cannot be part of a text, where its quotes would be escaped. */
const jsonTime = /"start_time":"([^"]*)"/g;

/** PostgreSQL writes times in JSON like `2026-11-20T18:00:00+00:00`, with the fraction of a second if any. */
function jsTime(time: string): string {
  return time.length === 25 ? `${time.slice(0, 19)}.000Z` : new Date(time).toISOString();
}

type TextRow = readonly (string | null)[];

/** Connections that are used again in turn. A query waits when all are busy. */
async function clients(url: string, connections: number) {
  const all = Array.from(
    { length: connections },
    () =>
      new pg.Client({
        connectionString: url,
        options:
          '-c timezone=UTC -c jit=off -c max_parallel_workers_per_gather=0 -c plan_cache_mode=force_generic_plan',
      }),
  );
  await Promise.all(all.map((client) => client.connect()));
  const idle = [...all];
  const waiting: ((client: pg.Client) => void)[] = [];
  const asText = { getTypeParser: () => (text: string) => text };

  return {
    async query(query: { name: string; text: string; values: unknown[] }): Promise<readonly TextRow[]> {
      const client = idle.pop() ?? (await new Promise<pg.Client>((resolve) => waiting.push(resolve)));
      try {
        const { rows } = await client.query({ ...query, rowMode: 'array', types: asText });
        return rows as TextRow[];
      } finally {
        const next = waiting.shift();
        if (next === undefined) idle.push(client);
        else next(client);
      }
    },
    async close(): Promise<void> {
      await Promise.all(all.map((client) => client.end()));
    },
  };
}
