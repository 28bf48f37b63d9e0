import { setTimeout as pause } from 'node:timers/promises';
import type { LoopDelay } from '../bench/probe.js';
import type { LargeKeys, LargeOrganization } from './large-organization.js';

/** The requests of a large organization, and how long each one holds up the server. */

export const MAX_DELAY_MS = 25;
const PAUSE_MS = 10;
/** Other programs on this machine may disturb: the best of a few tries is due to the operation itself. */
const TRIES = 3;
const AT_ONCE = 8;

export interface NoisyServer {
  readonly url: string;
  loopDelay(): Promise<LoopDelay>;
}

export interface Operation {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Every request of the large organization that only reads, but for whole exports: they are the measurement `million`. */
export function operationsOf(
  { sessions, feed }: LargeKeys,
  size: LargeOrganization,
  token: string,
): readonly Operation[] {
  const api = { Authorization: `Bearer ${token}` };
  const page = { Cookie: `3000-session=${sessions.large}`, Accept: 'text/html' };
  const inApi = (name: string, path: string): Operation => ({
    name,
    path: `/api/v2/organizations/1/${path}`,
    headers: api,
  });
  const onPage = (name: string, path: string): Operation => ({
    name: `page: ${name}`,
    path: `/organizations/1${path}`,
    headers: page,
  });
  const exports = 'export_meetings?column=name&column=meeting_description';
  const ranges = [
    ['all', ''],
    ['upcoming', '&reporting_days=all_upcoming'],
    ['month', '&reporting_days=current_month'],
    ['range', '&start_time=01/01/2000 12:00 AM&end_time=12/31/2099 11:59 PM'],
    ['custom', '&reporting_days=custom&start_time=01/01/2000 12:00 AM&end_time=12/31/2099 11:59 PM'],
  ] as const;
  const reports = [
    ['', ''],
    [', EAP', '&report_type=eap_meetings'],
  ] as const;
  const deepest = Math.floor(size.meetings / 250);
  return [
    ...ranges.flatMap(([range, query]) =>
      reports.flatMap(([report, more]) =>
        [1, 20, deepest].map((number) =>
          inApi(`${range}${report}, page ${number}`, `${exports}${query}${more}&page=${number}`),
        ),
      ),
    ),
    inApi('upcoming of a member', 'members/idp-1/upcoming_meetings'),
    inApi('upcoming of a member, page 50', 'members/idp-1/upcoming_meetings?page=50'),
    inApi('webhook', 'webhook'),
    onPage('organization', ''),
    onPage('own meetings', '/meetings'),
    onPage('people', '/people'),
    onPage('people, last page', `/people?page=${size.people / 50}`),
    onPage('people, search', '/people?search=lastname7'),
    onPage('people, search of ten words', '/people?search=p e r s o n l a t .test'),
    onPage('activity', '/activity'),
    onPage('activity, last page', `/activity?page=${size.logged / 50}`),
    onPage('invitations', '/invitations'),
    onPage('invitations, replaced', '/invitations?state=replaced'),
    onPage('invitations, pending', '/invitations?state=pending&page=100'),
    onPage('webhook', '/webhooks'),
    onPage('deliveries, failed', '/webhooks?state=failed'),
    onPage('deliveries, skipped', '/webhooks?state=skipped'),
    onPage('meetings', '/all-meetings'),
    onPage('meetings, canceled', '/all-meetings?status=canceled'),
    onPage('meetings, search', '/all-meetings?status=all&search=grief+99'),
    onPage('meetings by week', '/all-meetings/weeks'),
    onPage('a meeting', `/all-meetings/${Math.floor(size.meetings * 0.8)}`),
    onPage('export', '/export'),
    onPage('export, EAP, all', '/export?column[]=name&report_type=eap_meetings&reporting_days=all'),
    onPage('export, upcoming', '/export?column[]=name&reporting_days=all_upcoming'),
    { name: 'feed', path: feed, headers: {} },
    { name: 'docs', path: '/docs', headers: page },
    { name: 'guide', path: '/docs/guide', headers: page },
  ];
}

/** Small requests of the other organization. */
export function smallOperations(token: string): readonly Operation[] {
  return [
    ['export_meetings?column=name&page=1', 'page'],
    ['export_meetings?column=name&reporting_days=all_upcoming&page=1', 'counted page'],
    ['webhook', 'webhook'],
  ].map(([path = '', name = '']) => ({
    name,
    path: `/api/v2/organizations/2/${path}`,
    headers: { Authorization: `Bearer ${token}` },
  }));
}

export interface Measured {
  readonly name: string;
  readonly status: number;
  readonly bytes: number;
  /** Milliseconds. */
  readonly elapsedMs: number;
  readonly delay: number;
}

export async function ask(
  server: Pick<NoisyServer, 'url'>,
  { path, headers }: Operation,
): Promise<Omit<Measured, 'delay' | 'name'>> {
  const startedAt = performance.now();
  const answer = await fetch(`${server.url}${path}`, { headers, redirect: 'manual' });
  let bytes = 0;
  for await (const piece of answer.body ?? []) bytes += (piece as Uint8Array).length;
  return { status: answer.status, bytes, elapsedMs: performance.now() - startedAt };
}

/** Measures each operation alone. Of a few tries, keeps the one that blocked the event loop least. */
export async function measureAlone(
  server: NoisyServer,
  operations: readonly Operation[],
): Promise<Measured[]> {
  const found: Measured[] = [];
  for (const operation of operations) {
    const tries: Measured[] = [];
    for (let count = 0; count < TRIES; count += 1) {
      await pause(PAUSE_MS);
      await server.loopDelay();
      const answer = await ask(server, operation);
      tries.push({ name: operation.name, ...answer, delay: (await server.loopDelay()).max });
      if ((tries.at(-1)?.delay ?? 0) <= MAX_DELAY_MS) break;
    }
    const [best] = tries.sort((one, other) => one.delay - other.delay);
    if (best !== undefined) found.push(best);
  }
  return found;
}

/** Sends the operations without a pause, some at once, until this time of `performance.now()`. */
export async function flood(
  server: Pick<NoisyServer, 'url'>,
  operations: readonly Operation[],
  until: number,
): Promise<void> {
  let at = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const operation = operations[at % operations.length];
      at += 1;
      if (operation !== undefined) await ask(server, operation).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: operations.length === 0 ? 0 : AT_ONCE }, one));
}
