import { setTimeout as pause } from 'node:timers/promises';
import { type HttpClient, httpClient } from '../http/client.js';
import { slowness } from '../slowness.js';
import { until } from '../wait.js';
import type { Instance, PostgresSite } from './postgres.js';

/** The time limit for recovering from an outage on an idle machine. */
const MAX_HEALING_MS = 10_000;

/** Every kind of request that the traffic makes. `liveness` never waits for the database. */
const kinds = [
  'authenticate',
  'invite',
  'read webhook',
  'list meetings',
  'export',
  'export a page',
  'readiness',
  'liveness',
] as const;
type Kind = (typeof kinds)[number];

/** The pause between a response and the next request. */
const PAUSE_MS = 250;
const PAUSES_MS: Partial<Record<Kind, number>> = { readiness: 100, liveness: 50 };

export interface SentRequest {
  readonly port: number;
  readonly kind: Kind;
  /** When it was sent, by `performance.now()`. */
  readonly at: number;
  readonly tookMs: number;
  /** 0 if there was no response. */
  readonly status: number;
  readonly retryAfter: string;
  /** The body, or the error. */
  readonly text: string;
}

/** Keeps sending every kind of request to every instance. Invitations are sent in `inviting` simultaneous loops. */
export async function startTraffic(
  site: PostgresSite,
  { instances, inviting }: { readonly instances: readonly Instance[]; readonly inviting: number },
) {
  const sent: SentRequest[] = [];
  const acknowledged: string[] = [];
  const callers = await Promise.all(
    instances.map(({ port }) => createCaller({ site, port, sent, acknowledged })),
  );
  let isStopped = false;
  const repeat = async (send: () => Promise<void>, everyMs: number): Promise<void> => {
    while (!isStopped) {
      await send();
      await pause(everyMs);
    }
  };
  const loops = callers.flatMap(({ send }) => [
    ...kinds.map((kind) => repeat(() => send(kind), PAUSES_MS[kind] ?? PAUSE_MS)),
    ...Array.from({ length: inviting - 1 }, () => repeat(() => send('invite'), PAUSE_MS)),
  ]);
  const hasAnswered = (port: number, kind: Kind, since: number): boolean =>
    sent.some((one) => one.port === port && one.kind === kind && one.at >= since && one.status === 200);
  return {
    /** Milliseconds from `since` until every instance has served every kind of request. Null: not in time. */
    async healed(since: number): Promise<number | null> {
      const isHealed = () =>
        instances.every(({ port }) => kinds.every((kind) => hasAnswered(port, kind, since)));
      const left = MAX_HEALING_MS * slowness() - (performance.now() - since);
      return (await until(isHealed, left)) ? Math.round(performance.now() - since) : null;
    },
    /** The requests that were answered 503 after `since`. */
    refused: (since: number) =>
      sent.filter(({ status, at, tookMs }) => status === 503 && at + tookMs > since),
    /** Empty if `/readyz` of these instances reported the outage. */
    readinessProblems(
      hit: readonly Instance[],
      { startedAt, ended }: { readonly startedAt: number; readonly ended: number },
    ): readonly string[] {
      return hit.flatMap(({ port }) => {
        const probes = sent.filter((one) => one.port === port && one.kind === 'readiness');
        const meanwhile = probes.filter(({ at, tookMs }) => at + tookMs > startedAt && at + tookMs < ended);
        const wrong = meanwhile.filter(({ at, status }) => status === 200 && at > startedAt + 50);
        return [
          ...(meanwhile.some(({ status }) => status === 503) ? [] : ['/readyz never responded with 503']),
          ...wrong.map(() => '/readyz responded with 200 during the outage'),
        ];
      });
    },
    /** Waits for the requests under way. `acknowledged` contains the email addresses whose invitation got 200. */
    async stop(): Promise<{
      readonly sent: readonly SentRequest[];
      readonly acknowledged: readonly string[];
    }> {
      isStopped = true;
      await Promise.all(loops);
      for (const { client } of callers) client.close();
      return { sent, acknowledged };
    },
  };
}

async function createCaller({
  site,
  port,
  sent,
  acknowledged,
}: {
  readonly site: PostgresSite;
  readonly port: number;
  readonly sent: SentRequest[];
  readonly acknowledged: string[];
}): Promise<{ readonly client: HttpClient; send(kind: Kind): Promise<void> }> {
  const { organization } = site;
  const client = httpClient(port);
  const api = `/api/v2/organizations/${organization.id}`;
  const json = { access_key: organization.accessKey };
  const { token } = (await client.send('POST', '/api/v2/authenticate', { json })).json;
  const headers = { Authorization: `Bearer ${token}` };
  let guests = 0;
  const invite = async () => {
    guests += 1;
    const email = `guest-${port}-${guests}@example.test`;
    const person = { email, first_name: 'Ada', last_name: 'Lovelace' };
    const reply = await client.send('POST', `${api}/invite_user`, { headers, json: person });
    if (reply.status === 200) acknowledged.push(email);
    return reply;
  };
  const requests: Record<Kind, () => ReturnType<HttpClient['send']>> = {
    authenticate: () => client.send('POST', '/api/v2/authenticate', { json }),
    invite,
    'read webhook': () => client.send('GET', `${api}/webhook`, { headers }),
    'list meetings': () => client.send('GET', `${api}/members/idp-1/upcoming_meetings`, { headers }),
    export: () => client.send('GET', `${api}/export_meetings`, { headers }),
    'export a page': () => client.send('GET', `${api}/export_meetings?page=1`, { headers }),
    readiness: () => client.send('GET', '/readyz'),
    liveness: () => client.send('GET', '/healthz'),
  };
  return {
    client,
    async send(kind) {
      const at = performance.now();
      const answer = await requests[kind]().catch((error: unknown) => String(error));
      const tookMs = performance.now() - at;
      const { status, text, retryAfter } =
        typeof answer === 'string'
          ? { status: 0, text: answer, retryAfter: '' }
          : { ...answer, retryAfter: answer.headers['retry-after'] ?? '' };
      sent.push({ port, kind, at, tookMs, status, text, retryAfter });
    },
  };
}
