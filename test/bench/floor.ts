import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import express from 'express';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { listen } from '../support/listen.js';
import { postgresFloor } from './floor-postgres.js';
import { sqliteFloor } from './floor-sqlite.js';
import type { Exported, UpcomingRow } from './floor-storage.js';

/**
 * The floor: the cost of Node, the engine and the exact answers, and nothing else. It uses bare `node:http` and prepared
 * statements, and checks only the token. Like the product, it is a program; it prints its port on standard output.
 */

const [url = '', front = 'bare', defaultAvatar = ''] = process.argv.slice(2);
const [key] = createKeyring({ secretKey: process.env.SECRET_KEY ?? '', previousSecretKeys: [] }).all;
if (key === undefined) throw new Error('SECRET_KEY is missing');

const storage = url.startsWith('sqlite:')
  ? sqliteFloor(url.slice('sqlite:'.length))
  : await postgresFloor(url);

const PAGE_SIZE = 100;

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>;

const json = 'application/json; charset=utf-8';

function send(response: ServerResponse, body: string | Uint8Array): void {
  response.writeHead(200, { 'Content-Type': json, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

// ── Access ─────────────────────────────────────────────────────────────────────────────────────────────────

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
  const [id, gen] = await storage.keyHolder(hash);
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

/** Throws unless the token is the organization's. Returns the generation of its access key, which must be current. */
function generationIn(request: IncomingMessage, organizationId: number): number {
  const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const [first = '', claims = '', signature = ''] = token.split('.');
  const expected = mac(`${first}.${claims}`);
  if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
    throw new Error('the token is not signed by this service');
  const { sub, gen, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    readonly sub: string;
    readonly gen: number;
    readonly exp: number;
  };
  if (Number(sub) !== organizationId || exp * 1000 <= Date.now())
    throw new Error('the token is no longer valid');
  return gen;
}

function checkGeneration(given: number, { generation }: { readonly generation: number }): void {
  if (given !== generation) throw new Error('the access key was replaced');
}

// ── The upcoming list ──────────────────────────────────────────────────────────────────────────────────────

async function listUpcoming(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  const [, , , , first = '', , idpId = ''] = url.pathname.split('/');
  const organization = Number(first);
  const generation = generationIn(request, organization);
  const items = Number(url.searchParams.get('items') ?? 10);
  const page = Number(url.searchParams.get('page') ?? 1);
  const found = await storage.upcoming({
    organization,
    idpId: decodeURIComponent(idpId),
    now: new Date().toISOString(),
    limit: items,
    offset: (page - 1) * items,
  });
  checkGeneration(generation, found);
  const answer = {
    current_page: page,
    items,
    total_items: found.total,
    total_pages: Math.ceil(found.total / items),
    meetings: found.rows.map(upcomingMeeting),
  };
  send(response, Buffer.from(JSON.stringify(answer)));
}

function upcomingMeeting(row: UpcomingRow): object {
  const [id, name, start_time, end_time, topic, description, location, max_attendees, attendees] = row;
  const [leaderId, firstName, lastName, avatar, registered_at, waiting_status] = row.slice(9, 15) as [
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

async function exportMeetings(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  const organization = Number(url.pathname.split('/')[4]);
  const generation = generationIn(request, organization);
  const names = url.searchParams.getAll('column[]');
  const page = url.searchParams.get('page');
  if (page !== null) return exportPage(response, { organization, generation, names, page: Number(page) });
  const access = await storage.access(organization);
  checkGeneration(generation, access);
  response.writeHead(200, { 'Content-Type': json });
  // Sent together with the first rows, so that the time to the first byte includes them.
  response.cork();
  response.write('{"success":true,"meetings":[');
  await storage.exportAll(response, { organization, hasProgram: access.hasProgram, names });
  response.end(']}');
}

async function exportPage(
  response: ServerResponse,
  {
    page,
    generation,
    ...exported
  }: Omit<Exported, 'hasProgram'> & { readonly page: number; readonly generation: number },
): Promise<void> {
  const found = await storage.page({ ...exported, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE });
  checkGeneration(generation, found);
  const { rows, total } = found;
  const metadata = {
    page,
    per_page: PAGE_SIZE,
    total_pages: Math.ceil(total / PAGE_SIZE),
    total_count: total,
  };
  const before = `{"success":true,"metadata":${JSON.stringify(metadata)},"meetings":[`;
  send(response, Buffer.concat([Buffer.from(before), rows, Buffer.from(']}')]));
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
process.stdout.write(`${await listen(server)}\n`);
// Standard input is a pipe from the process that started this one: ends with it.
process.stdin.on('end', () => process.exit(0)).resume();
