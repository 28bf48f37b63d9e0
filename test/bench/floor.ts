import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import express from 'express';
import { createKeyring } from '#adapters/crypto/keyring.js';

/**
 * The floor: what Node, SQLite and the exact answers cost, and nothing else. Bare `node:http`, statements
 * prepared by hand, no check but the token's. A program of its own, as the product is; what it listens on goes
 * to standard output. Its texts are the fastest of those tried: `concat` and `json_quote` before `json_object`,
 * arrays (`raw`) before objects, `LIMIT +?` before `LIMIT ?`, which is prepared anew for every value.
 */

const [file = '', front = 'bare', defaultAvatar = ''] = process.argv.slice(2);
const [key] = createKeyring({ secretKey: process.env.SECRET_KEY ?? '', previousSecretKeys: [] }).all;
if (key === undefined) throw new Error('SECRET_KEY is missing');

const database = new SqliteDatabase(file, { readonly: true });

const ROWS_A_CHUNK = 500;
const PAGE = 100;

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>;

const json = 'application/json; charset=utf-8';

function send(response: ServerResponse, body: string | Uint8Array): void {
  response.writeHead(200, { 'Content-Type': json, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

// ── Access ─────────────────────────────────────────────────────────────────────────────────────────────────

const byHash = database
  .prepare('SELECT id, access_key_generation FROM organizations WHERE access_key_hash = ?')
  .raw();
const generationOf = database.prepare('SELECT access_key_generation FROM organizations WHERE id = ?').raw();

const tokenKey = key.keys.token;
const accessKeyKey = key.keys['access-key'];
const head = encoded({ alg: 'HS256', typ: 'JWT', kid: key.id });

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function mac(text: string): string {
  return createHmac('sha256', tokenKey).update(text).digest('base64url');
}

async function authenticate(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) body += chunk;
  const { access_key } = JSON.parse(body) as { readonly access_key: string };
  const hash = `${key?.id}.${createHmac('sha256', accessKeyKey).update(access_key).digest('base64url')}`;
  const [id, gen] = byHash.get(hash) as [number, number];
  const iat = Math.floor(Date.now() / 1000);
  const claims = encoded({
    iss: 'rollcall',
    aud: 'rollcall-api',
    sub: String(id),
    gen,
    iat,
    exp: iat + 86_400,
  });
  send(response, JSON.stringify({ token: `${head}.${claims}.${mac(`${head}.${claims}`)}` }));
}

/** Throws unless the token is the organization's. */
function authorize(request: IncomingMessage, organizationId: number): void {
  const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const [first = '', claims = '', signature = ''] = token.split('.');
  const expected = mac(`${first}.${claims}`);
  if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
    throw new Error('the token is not ours');
  const { sub, gen, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    readonly sub: string;
    readonly gen: number;
    readonly exp: number;
  };
  const [generation] = generationOf.get(organizationId) as [number];
  if (Number(sub) !== organizationId || gen !== generation || exp * 1000 <= Date.now())
    throw new Error('the token is dead');
}

// ── The upcoming list ──────────────────────────────────────────────────────────────────────────────────────

const userOf = database
  .prepare('SELECT user_id FROM memberships WHERE organization_id = ? AND idp_id = ?')
  .raw();

const upcomingOf = database
  .prepare(
    `SELECT m.id, m.name, m.start_time, m.end_time, m.topic, m.meeting_description, m.location, m.max_attendees,
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
    ORDER BY m.start_time, m.id`,
  )
  .raw();

type UpcomingRow = readonly [
  id: number,
  name: string,
  start: string,
  end: string,
  topic: string,
  description: string | null,
  location: string,
  maxAttendees: number,
  attendees: number,
  leaderId: number | null,
  firstName: string,
  lastName: string,
  avatar: string | null,
  registeredAt: string | null,
  status: string | null,
];

function listUpcoming(request: IncomingMessage, response: ServerResponse, url: URL): void {
  const [, , , , organization = '', , idpId = ''] = url.pathname.split('/');
  authorize(request, Number(organization));
  const items = Number(url.searchParams.get('items') ?? 10);
  const page = Number(url.searchParams.get('page') ?? 1);
  const [user] = userOf.get(Number(organization), decodeURIComponent(idpId)) as [number];
  const now = new Date().toISOString();
  const rows = upcomingOf.all({ user, now, organization: Number(organization) }) as UpcomingRow[];
  const answer = {
    current_page: page,
    items,
    total_items: rows.length,
    total_pages: Math.ceil(rows.length / items),
    meetings: rows.slice((page - 1) * items, page * items).map(upcomingMeeting),
  };
  send(response, JSON.stringify(answer));
}

function upcomingMeeting(row: UpcomingRow): object {
  const [id, name, start_time, end_time, topic, description, location, max_attendees, attendees] = row;
  const [leaderId, firstName, lastName, avatar, registered_at, waiting_status] = row.slice(9) as [
    number | null,
    string,
    string,
    string | null,
    string | null,
    string | null,
  ];
  const minutes = Math.floor((Date.parse(end_time) - Date.parse(start_time)) / 60_000);
  return {
    id,
    name,
    start_time,
    end_time,
    duration: durationText(minutes),
    duration_in_minutes: minutes,
    topic,
    description,
    location,
    max_attendees,
    registered_attendees: attendees,
    group_leader:
      leaderId === null
        ? null
        : {
            id: leaderId,
            name: `${firstName} ${[...lastName][0]?.toUpperCase()}.`,
            avatar: avatar ?? defaultAvatar,
          },
    waiting_status,
    registered: registered_at !== null,
    registered_at,
  };
}

function durationText(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  const parts = [
    hours > 0 ? `${hours} hour${hours === 1 ? '' : 's'}` : '',
    rest > 0 ? `${rest} minutes` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

// ── The export ─────────────────────────────────────────────────────────────────────────────────────────────

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
    const wire = name === 'group_leader_id' ? 'group_leader' : name;
    return `'${index === 0 ? '' : ','}"${wire}":', ${columns[name]?.(name)}`;
  });
  return `SELECT CAST(group_concat(object, ',') AS BLOB) FROM (
    SELECT concat('{', ${members.join(', ')}, '}') AS object ${COMPLETE} ${limit}
  )`;
}

const counter = database
  .prepare('SELECT meetings FROM complete_meeting_counts WHERE organization_id = ?')
  .raw();

/** A connection for one export at a time, as its transaction is its snapshot. */
interface Exporter {
  readonly connection: SqliteDatabase.Database;
  readonly last: SqliteDatabase.Statement;
  readonly chunks: Map<string, SqliteDatabase.Statement>;
}

const free: Exporter[] = [];

function openExporter(): Exporter {
  const connection = new SqliteDatabase(file, { readonly: true });
  const last = connection
    .prepare(`SELECT start_time, id ${COMPLETE} LIMIT 1 OFFSET ${ROWS_A_CHUNK - 1}`)
    .raw();
  return { connection, last, chunks: new Map() };
}

const pages = new Map<string, SqliteDatabase.Statement>();

function kept(
  statements: Map<string, SqliteDatabase.Statement>,
  names: readonly string[],
  make: () => SqliteDatabase.Statement,
): SqliteDatabase.Statement {
  const id = names.join();
  const statement = statements.get(id) ?? make();
  statements.set(id, statement);
  return statement;
}

async function exportMeetings(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  const organization = Number(url.pathname.split('/')[4]);
  authorize(request, organization);
  const names = url.searchParams.getAll('column[]');
  const page = url.searchParams.get('page');
  if (page === null) await exportAll(response, organization, names);
  else exportPage(response, { organization, names, page: Number(page) });
}

async function exportAll(
  response: ServerResponse,
  organization: number,
  names: readonly string[],
): Promise<void> {
  const exporter = free.pop() ?? openExporter();
  const chunk = kept(exporter.chunks, names, () =>
    exporter.connection.prepare(rowsText(names, `LIMIT ${ROWS_A_CHUNK}`)).pluck(),
  );
  exporter.connection.exec('BEGIN');
  response.writeHead(200, { 'Content-Type': json });
  response.write('{"success":true,"meetings":[');
  for (let after: Key | undefined = ['', 0], first = true; after !== undefined && !response.destroyed; ) {
    const last = exporter.last.get(organization, ...after) as Key | undefined;
    const rows = chunk.get(organization, ...after) as Buffer | null;
    if (rows !== null) {
      if (!first) response.write(',');
      if (!response.write(rows)) await drainedOrGone(response);
    }
    await setImmediate();
    first = false;
    after = last;
  }
  exporter.connection.exec('COMMIT');
  free.push(exporter);
  response.end(']}');
}

type Key = readonly [start: string, id: number];

function drainedOrGone(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function exportPage(
  response: ServerResponse,
  {
    organization,
    names,
    page,
  }: { readonly organization: number; readonly names: readonly string[]; readonly page: number },
): void {
  const statement = kept(pages, names, () => database.prepare(rowsText(names, 'LIMIT +? OFFSET +?')).pluck());
  const rows = statement.get(organization, '', 0, PAGE, (page - 1) * PAGE) as Buffer | null;
  const [total] = counter.get(organization) as [number];
  const metadata = { page, per_page: PAGE, total_pages: Math.ceil(total / PAGE), total_count: total };
  const before = `{"success":true,"metadata":${JSON.stringify(metadata)},"meetings":[`;
  send(response, Buffer.concat([Buffer.from(before), rows ?? Buffer.alloc(0), Buffer.from(']}')]));
}

// ── The server ─────────────────────────────────────────────────────────────────────────────────────────────

const api = '/api/v2';

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '', 'http://floor');
}

function bare(): RequestListener {
  return (request, response) => {
    const url = urlOf(request);
    const answer: Answer = url.pathname.endsWith('/authenticate')
      ? authenticate
      : url.pathname.endsWith('/upcoming_meetings')
        ? listUpcoming
        : exportMeetings;
    void answer(request, response, url);
  };
}

function behindExpress(): RequestListener {
  const app = express().disable('x-powered-by').disable('etag');
  const handle =
    (answer: Answer): express.RequestHandler =>
    (request, response) =>
      answer(request, response, urlOf(request));
  app.post(`${api}/authenticate`, handle(authenticate));
  app.get(`${api}/organizations/:organizationId/members/:idpId/upcoming_meetings`, handle(listUpcoming));
  app.get(`${api}/organizations/:organizationId/export_meetings`, handle(exportMeetings));
  return app;
}

const server = createServer(front === 'express' ? behindExpress() : bare());
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
// Whoever started it holds the other end: when that is gone, so is this.
process.stdin.on('end', () => process.exit(0)).resume();
