import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import express from 'express';
import type { LargeKeys, LargeOrganization } from '../large-organization.js';
import { endServer, listen } from '../listen.js';

/** The time within which each page of a large organization is answered. */
export const MAX_PAGE_MS = 300;
/** The bytes that a page has, compressed. */
export const MAX_PAGE_BYTES = 30_000;

/** A request of somebody who looks at a page. */
export interface PageOperation {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For downloads: the reader leaves at the first byte. */
  readonly untilFirstByte?: boolean;
}

/** Every page of an owner and a member of the large organization that reads lists, and what they can download. */
export function pageOperations(
  { sessions, feed }: LargeKeys,
  size: LargeOrganization,
): readonly PageOperation[] {
  const by =
    (who: 'large' | 'member') =>
    (name: string, path: string, more: Partial<PageOperation> = {}): PageOperation => ({
      name: `${who === 'large' ? 'owner' : 'member'}: ${name}`,
      path: /^\/(account|docs)/.test(path) ? path : `/organizations/1${path}`,
      headers: { Cookie: `3000-session=${sessions[who]}`, Accept: 'text/html' },
      ...more,
    });
  const [owner, member] = [by('large'), by('member')];
  const download = { untilFirstByte: true };
  const userUuid = '00000002-0003-4000-8000-000000000002';
  const columns = 'column[]=name&column[]=meeting_description';
  return [
    owner('organization', ''),
    owner('own meetings', '/meetings'),
    owner('own meetings, page 10', '/meetings?page=10'),
    owner('own meetings, search', '/meetings?search=grief'),
    owner('past meetings', '/meetings/past'),
    owner('people', '/people'),
    owner('people, last page', `/people?page=${size.people / 50}`),
    owner('people by name', '/people?sort=name'),
    owner('people by name, last page', `/people?sort=name&page=${size.people / 50}`),
    owner('people, newest first', '/people?sort=newest'),
    owner('people, only members', '/people?role=member&sort=name'),
    owner('people, search', '/people?search=lastname7'),
    owner('people, search by name', '/people?search=person1&sort=name&role=member'),
    owner('people, search without a result', '/people?search=nothing'),
    owner('a person', '/people/2'),
    owner('a person with many meetings', '/people/1'),
    owner('people.csv', '/people.csv', download),
    owner('people.csv, search', '/people.csv?search=lastname7', download),
    owner('activity', '/activity'),
    owner('activity, last page', `/activity?page=${size.logged / 50}`),
    owner('activity, search', '/activity?search=lastname7'),
    owner('activity, search without a result', '/activity?search=nothing+else'),
    owner('activity, narrowed', '/activity?who=1&kind=people&from=2026-01-01'),
    owner('activity, done by no one', '/activity?who=2'),
    owner('activity.csv', '/activity.csv', download),
    owner('activity.csv, search', '/activity.csv?search=lastname7', download),
    owner('calls', '/calls'),
    owner('invitations', '/invitations'),
    owner('invitations, last page', `/invitations?page=${Math.floor(size.people / 50)}`),
    owner('invitations, pending', '/invitations?state=pending&page=2'),
    owner('invitations, replaced', '/invitations?state=replaced'),
    owner('invitations, oldest first', '/invitations?sort=oldest'),
    owner('invitations by name', '/invitations?sort=name'),
    owner('invitations, search', '/invitations?search=i77'),
    owner('invitations, search by name', '/invitations?search=large&sort=name&state=pending'),
    owner('an invitation', `/invitations/${userUuid}`),
    owner('invitations.csv', '/invitations.csv', download),
    owner('webhook and deliveries', '/webhooks'),
    owner('deliveries, failed', '/webhooks?state=failed'),
    owner('deliveries, skipped', '/webhooks?state=skipped'),
    owner('deliveries since a time', '/webhooks?since=2026-01-01T00:00&state=delivered'),
    owner('a delivery', '/webhooks/deliveries/1'),
    owner('webhook test', '/webhooks/test'),
    owner('webhook settings', '/webhooks/settings'),
    owner('dismiss', '/webhooks/dismiss'),
    owner('resend', '/webhooks/redeliver?since=2000-01-01T00:00'),
    owner('meetings', '/all-meetings'),
    owner('meetings, all', '/all-meetings?status=all'),
    owner('meetings, last page', `/all-meetings?status=all&page=${size.meetings / 50}`),
    owner('meetings, canceled', '/all-meetings?status=canceled'),
    owner('meetings, search', '/all-meetings?status=all&search=grief+99'),
    owner('meetings, search without a result', '/all-meetings?status=all&search=nothing'),
    owner('meetings, a month', '/all-meetings?status=all&dates=last_month&sort=earliest'),
    owner('meetings by week', '/all-meetings/weeks'),
    owner('a meeting', `/all-meetings/${Math.floor(size.meetings * 0.8)}`),
    owner('export', '/export'),
    owner('export, everything', `/export?${columns}&reporting_days=all`),
    owner('export, EAP', `/export?${columns}&report_type=eap_meetings&reporting_days=all`),
    owner('export, upcoming', `/export?${columns}&reporting_days=all_upcoming`),
    owner('meetings.csv', `/export/meetings.csv?${columns}&reporting_days=all`, download),
    owner('meetings.json', `/export/meetings.json?${columns}&reporting_days=all`, download),
    owner('reference', '/docs'),
    owner('reference of a group', '/docs/meetings'),
    owner('guide', '/docs/guide'),
    owner('page of the guide', '/docs/guide/webhooks'),
    owner('sessions', '/account/sessions'),
    owner('calendar', '/calendar'),
    { name: 'calendar feed', path: feed, headers: {} },
    owner('calendar file of a meeting', `/meetings/${size.meetings}.ics`),
    member('own meetings', '/meetings'),
    member('past meetings', '/meetings/past'),
    member('past meetings, page 20', '/meetings/past?page=20'),
    member('calendar', '/calendar'),
    member('sessions', '/account/sessions'),
  ];
}

/** How long answers took, in milliseconds. */
export interface PageTimes {
  readonly name: string;
  readonly median: number;
  readonly worst: number;
  /** The same of a bare page of the same size. */
  readonly bareMedian: number;
  readonly bareWorst: number;
  /** The server's CPU for one answer. NaN if it is not known. */
  readonly cpu: number;
}

/** Requests each page several times, in turn with a bare Express page of the same size. The first answer does not count. */
export async function measurePages(
  { url, cpu = () => Number.NaN }: { readonly url: string; readonly cpu?: () => number },
  operations: readonly PageOperation[],
  rounds: number,
): Promise<readonly PageTimes[]> {
  const bare = await startBarePage();
  try {
    const found: PageTimes[] = [];
    for (const operation of operations) {
      const { bytes } = await timeOf(url, operation);
      const same = { name: 'bare', path: `/${bytes}`, headers: {} };
      await timeOf(bare.url, same);
      const [times, bareTimes]: [number[], number[]] = [[], []];
      const before = cpu();
      for (let round = 0; round < rounds; round += 1) {
        times.push((await timeOf(url, operation)).elapsedMs);
        bareTimes.push((await timeOf(bare.url, same)).elapsedMs);
      }
      found.push({
        name: operation.name,
        ...{ median: medianOf(times), worst: Math.max(...times) },
        ...{ bareMedian: medianOf(bareTimes), bareWorst: Math.max(...bareTimes) },
        cpu: (cpu() - before) / rounds,
      });
    }
    return found;
  } finally {
    await bare.stop();
  }
}

function medianOf(times: readonly number[]): number {
  return [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN;
}

async function timeOf(
  url: string,
  { path, headers, untilFirstByte = false }: PageOperation,
): Promise<{ readonly elapsedMs: number; readonly bytes: number }> {
  const leaving = new AbortController();
  const started = performance.now();
  const answer = await fetch(`${url}${path}`, { headers, redirect: 'manual', signal: leaving.signal });
  // The service gives up after 5 s: on a busy machine, a page that is tried again may still be fast.
  const isLate = answer.status === 503;
  if (!isLate && answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += (piece as Uint8Array).length;
    if (untilFirstByte) break;
  }
  const elapsedMs = isLate ? Number.POSITIVE_INFINITY : performance.now() - started;
  leaving.abort();
  return { elapsedMs, bytes };
}

/** The compressed bytes of a page. 0 for a file. */
export async function sizeOf(url: string, { path, headers, untilFirstByte }: PageOperation): Promise<number> {
  if (untilFirstByte === true) return 0;
  const answer = await fetch(`${url}${path}`, { headers });
  const body = Buffer.from(await answer.arrayBuffer());
  return answer.headers.get('content-type')?.startsWith('text/html') ? gzipSync(body).length : 0;
}

/** The least that a page can cost: Express sends a text of the size in the address. */
async function startBarePage(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const app = express();
  app.get('/:bytes', (request, response) => {
    response.type('html').send('x'.repeat(Number(request.params.bytes)));
  });
  const server = createServer(app);
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    stop: () => endServer(server),
  };
}
