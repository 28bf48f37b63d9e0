import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type HttpClient, httpClient } from '../http/client.js';
import type { PostgresServer } from '../postgres-server.js';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.js';
import type { FaultReport } from './audit.js';
import {
  ageAbandonedClaims,
  type Instance,
  type PostgresSite,
  preparePostgresSite,
  registrations,
  untilFinal,
} from './postgres.js';
import { linesOf, type Running, watchSlowness } from './process.js';
import { until } from './service.js';

const INSTANCES = 2;
const ORGANIZATIONS = 4;
/** Milliseconds within which whoever can't be served is told. */
const LONGEST_REFUSAL = 6000;
/** Milliseconds within which everything works again. */
const LONGEST_HEALING = 10_000;
const LONGEST_END = 75_000;
const MEMBER = { email: 'member@example.test', firstName: 'Ada', lastName: 'Lovelace', idpId: 'idp-1' };

/** Stops the server as a crash would, once for each of the milliseconds, and starts it again after them, under load. */
export async function crashTheDatabase({
  server,
  away,
  waits,
}: {
  readonly server: PostgresServer;
  readonly away: readonly number[];
  /** Whether claims that were left behind are waited for, or made older. */
  readonly waits: boolean;
}): Promise<FaultReport> {
  const site = await prepareSlowSite(server);
  try {
    return await withOutages(site, {
      env: {},
      outages: away,
      begin: () => server.stop('immediate'),
      end: () => server.start(),
      waits,
    });
  } finally {
    await site.remove();
  }
}

/** Freezes the network between the instances and the server for so many milliseconds, under load. */
export async function freezeTheDatabase({
  server,
  frozen,
  waits,
}: {
  readonly server: PostgresServer;
  readonly frozen: readonly number[];
  readonly waits: boolean;
}): Promise<FaultReport> {
  const site = await prepareSlowSite(server);
  let proxy: TcpProxy | null = null;
  try {
    proxy = await startTcpProxy(server.port);
    const through = new URL(site.databaseUrl);
    through.port = String(proxy.port);
    const { freeze, thaw } = proxy;
    return await withOutages(site, {
      env: { DATABASE_URL: through.href },
      outages: frozen,
      begin: async () => freeze(),
      end: async () => thaw(),
      waits,
    });
  } finally {
    await site.remove();
    await proxy?.stop();
  }
}

/** Somebody locks what most requests write, so that soon every connection of an instance waits for it. */
export async function fillThePool({
  server,
  held,
}: {
  readonly server: PostgresServer;
  /** Milliseconds. */
  readonly held: number;
}): Promise<FaultReport> {
  const site = await preparePostgresSite({ server });
  const client = new pg.Client({ connectionString: site.databaseUrl });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await site.embedded((core) =>
      core.registerUser({ ...MEMBER, organizationId: site.organizations[0]?.id ?? 0 }),
    );
    const instance = await site.serve();
    const slowness = watchSlowness();
    const traffic = await startTraffic(site, { instances: [instance], inviting: 40 });
    await pause(1000);
    await client.query('BEGIN; LOCK TABLE invitations IN ACCESS EXCLUSIVE MODE');
    const begun = performance.now();
    await pause(held);
    await client.query('ROLLBACK');
    const released = performance.now();
    const healed = await traffic.healed(released);
    const { asked, acknowledged } = await traffic.stop();
    const slow = slowness.stop();
    const refused = asked.filter(({ status, at, took }) => status === 503 && at + took > begun);
    const ended = whichEnded([instance]);
    return {
      counts: {
        requests: asked.length,
        'refused with 503': refused.length,
        'longest request, ms': longestOf(asked),
        'healed after, ms': healed ?? 'never',
        'the machine was late by': slow,
      },
      problems: [
        ...answerProblems(asked, slow),
        ...(refused.some(({ kind }) => kind !== 'invite') ? [] : ['the pool was never full']),
        ...(healed === null ? ['it did not work again within 10 s'] : []),
        ...(await lostInvitations(site, acknowledged)),
        ...logProblems(instance.process, 1),
        ...ended,
      ],
    };
  } finally {
    await client.end().catch(() => undefined);
    await site.remove();
  }
}

/** An error that nobody caught ends the process. */
function whichEnded(instances: readonly Instance[]): readonly string[] {
  return instances
    .filter(({ process: { child } }) => child.exitCode !== null || child.signalCode !== null)
    .map(({ process: { child } }) => `an instance ended with ${child.exitCode ?? child.signalCode}`);
}

interface SlowSite extends PostgresSite {
  /** Requests that the receiver has not answered yet. */
  underWay(): number;
}

/** Its receiver takes so long that some requests are always under way. */
async function prepareSlowSite(server: PostgresServer): Promise<SlowSite> {
  let underWay = 0;
  const site = await preparePostgresSite({
    server,
    organizations: ORGANIZATIONS,
    answer(_request, response) {
      underWay += 1;
      setTimeout(
        () => {
          underWay -= 1;
          response.end('ok');
        },
        300 + Math.random() * 400,
      );
    },
  });
  return { ...site, underWay: () => underWay };
}

interface Outages {
  /** What the instances are told beside the usual. */
  readonly env: Readonly<Record<string, string>>;
  /** How long each lasts, in milliseconds. */
  readonly outages: readonly number[];
  begin(): Promise<void>;
  end(): Promise<void>;
  readonly waits: boolean;
}

async function withOutages(
  site: SlowSite,
  { env, outages, begin, end, waits }: Outages,
): Promise<FaultReport> {
  await site.embedded((core) =>
    core.registerUser({ ...MEMBER, organizationId: site.organizations[0]?.id ?? 0 }),
  );
  const instances = await Promise.all(
    Array.from({ length: INSTANCES }, (_, index) =>
      site.serve({
        env,
        registering: {
          INSTANCE_PREFIX: `instance-${index + 1}`,
          INSTANCE_PEOPLE: '1000000',
          INSTANCE_AT_ONCE: '2',
          INSTANCE_PAUSE: '60',
        },
      }),
    ),
  );
  const slowness = watchSlowness();
  const traffic = await startTraffic(site, { instances, inviting: 2 });
  const problems: string[] = [];
  const healings: number[] = [];
  let outcomesWhileAway = 0;
  for (const outage of outages) {
    await pause(1000);
    await until(() => site.underWay() > 0, 10_000);
    await begin();
    const begun = performance.now();
    outcomesWhileAway += site.underWay();
    await pause(outage);
    const ending = performance.now();
    await end();
    const healed = await traffic.healed(performance.now());
    if (healed === null) problems.push('not everything worked again within 10 s');
    else healings.push(healed);
    problems.push(...traffic.readinessProblems({ begun, ended: ending }));
  }
  const { asked, acknowledged } = await traffic.stop();
  const slow = slowness.stop();
  for (const { process } of instances) process.child.kill('SIGUSR2');
  if (!waits) await ageAbandonedClaims(site);
  const final = await untilFinal(site, LONGEST_END);
  const ended = whichEnded(instances);
  const everybody = registrations(instances.map(({ process }) => process));
  const report = await site.audit({
    attempted: new Set([...everybody.attempted, MEMBER.email]),
    acknowledged: new Set([...everybody.acknowledged, MEMBER.email]),
  });
  return {
    counts: {
      outages: outages.length,
      requests: asked.length,
      'refused with 503': asked.filter(({ status }) => status === 503).length,
      'longest request, ms': longestOf(asked),
      'longest healing, ms': healings.length === 0 ? 'never' : Math.max(...healings),
      'outcomes known while it was away': outcomesWhileAway,
      ...report.counts,
      'the machine was late by': slow,
    },
    problems: [
      ...problems,
      ...answerProblems(asked, slow),
      ...(await lostInvitations(site, acknowledged)),
      ...report.problems,
      ...(final === null ? [`${await site.unfinished()} deliveries have no outcome`] : []),
      ...(outcomesWhileAway > 0 ? [] : ['no delivery was under way']),
      ...(report.counts['received again'] === 0 ? [] : ['a request was made again']),
      ...instances.flatMap(({ process }) => logProblems(process, outages.length)),
      ...ended,
    ],
  };
}

const kinds = [
  'authenticate',
  'invite',
  'read webhook',
  'list meetings',
  'export',
  'export a page',
  'readiness',
] as const;
type Kind = (typeof kinds)[number];

interface Asked {
  readonly port: number;
  readonly kind: Kind;
  /** When it was sent. */
  readonly at: number;
  readonly took: number;
  /** 0: there was no answer. */
  readonly status: number;
  readonly retryAfter: string;
  /** The body, or the error. */
  readonly text: string;
}

interface Traffic {
  /** Milliseconds from the moment until every instance has answered every kind of request; null: longer than 10 s. */
  healed(since: number): Promise<number | null>;
  /** Whether `/readyz` told of a time without a database. */
  readinessProblems(outage: { readonly begun: number; readonly ended: number }): readonly string[];
  /** Waits for what is under way. */
  stop(): Promise<{ readonly asked: readonly Asked[]; readonly acknowledged: readonly string[] }>;
}

/** Asks every instance for everything, each kind again and again, and `inviting` times side by side for invitations. */
async function startTraffic(
  site: PostgresSite,
  { instances, inviting }: { readonly instances: readonly Instance[]; readonly inviting: number },
): Promise<Traffic> {
  const asked: Asked[] = [];
  const acknowledged: string[] = [];
  const callers = await Promise.all(instances.map(({ port }) => caller({ site, port, asked, acknowledged })));
  let isOver = false;
  const again = async (ask: () => Promise<void>, every: number): Promise<void> => {
    while (!isOver) {
      await ask();
      await pause(every);
    }
  };
  const loops = callers.flatMap(({ ask }) => [
    ...kinds.map((kind) => again(() => ask(kind), kind === 'readiness' ? 100 : 60)),
    ...Array.from({ length: inviting - 1 }, () => again(() => ask('invite'), 60)),
  ]);
  const hasAnswered = (port: number, kind: Kind, since: number): boolean =>
    asked.some((one) => one.port === port && one.kind === kind && one.at >= since && one.status === 200);
  return {
    async healed(since) {
      const isHealed = () =>
        instances.every(({ port }) => kinds.every((kind) => hasAnswered(port, kind, since)));
      const within = LONGEST_HEALING - (performance.now() - since);
      return (await until(isHealed, within)) ? Math.round(performance.now() - since) : null;
    },
    readinessProblems({ begun, ended }) {
      return instances.flatMap(({ port }) => {
        const looks = asked.filter((one) => one.port === port && one.kind === 'readiness');
        const meanwhile = looks.filter(({ at, took }) => at + took > begun && at + took < ended);
        const wrong = meanwhile.filter(({ at, status }) => status === 200 && at > begun + 50);
        return [
          ...(meanwhile.some(({ status }) => status === 503) ? [] : ['/readyz did not tell']),
          ...wrong.map(() => '/readyz said that all was well'),
        ];
      });
    },
    async stop() {
      isOver = true;
      await Promise.all(loops);
      for (const { client } of callers) client.close();
      return { asked, acknowledged };
    },
  };
}

async function caller({
  site,
  port,
  asked,
  acknowledged,
}: {
  readonly site: PostgresSite;
  readonly port: number;
  readonly asked: Asked[];
  readonly acknowledged: string[];
}): Promise<{ readonly client: HttpClient; ask(kind: Kind): Promise<void> }> {
  const [organization] = site.organizations;
  if (organization === undefined) throw new Error('the site has no organization');
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
  };
  return {
    client,
    async ask(kind) {
      const at = performance.now();
      const answer = await requests[kind]().catch((error: unknown) => String(error));
      const took = performance.now() - at;
      const { status, text, retryAfter } =
        typeof answer === 'string'
          ? { status: 0, text: answer, retryAfter: '' }
          : { ...answer, retryAfter: answer.headers['retry-after'] ?? '' };
      asked.push({ port, kind, at, took, status, text, retryAfter });
    },
  };
}

/** Whoever was refused was told so in time and as JSON; nothing else went wrong. */
function answerProblems(asked: readonly Asked[], slow: number): readonly string[] {
  const longest = LONGEST_REFUSAL + 3 * slow;
  return [
    ...asked
      .filter(({ status }) => status !== 200 && status !== 503)
      .map(({ kind, status, text }) => `${kind}: ${status} ${text}`),
    ...asked
      .filter(({ took }) => took > longest)
      .map(({ kind, took, status }) => `${kind}: ${status} after ${Math.round(took)} ms`),
    ...asked
      .filter(({ status, text }) => status === 503 && !/^{"error":"Service Unavailable[^"]*"[,}]/.test(text))
      .map(({ kind, text }) => `${kind}: 503 ${text}`),
    ...asked
      .filter(({ status, retryAfter }) => status === 503 && !/^[1-9]\d*$/.test(retryAfter))
      .map(({ kind }) => `${kind}: 503 without Retry-After`),
  ];
}

function longestOf(asked: readonly Asked[]): number {
  return Math.round(Math.max(...asked.map(({ took }) => took)));
}

async function lostInvitations(
  site: PostgresSite,
  acknowledged: readonly string[],
): Promise<readonly string[]> {
  const rows = await site.rows<{ email: string }>('SELECT email FROM invitations');
  const stored = new Set(rows.map(({ email }) => email));
  return acknowledged.filter((email) => !stored.has(email)).map((email) => `invited and lost: ${email}`);
}

/** What a log says once for each thing that happened, however many of them. */
const TOLD_EACH_TIME = new Set(['request', 'Delivered', 'Starting', 'Migrations applied', 'Listening']);
const AWAY = 'The database is away: deliveries wait';
const BACK = 'The database is back: deliveries go on';

/** One line when an outage begins and one when it ends; no stack, no error that nobody expected, nothing repeated. */
function logProblems({ stdout, stderr }: Running, outages: number): readonly string[] {
  const lines = linesOf(stdout()).filter((line) => line.startsWith('{'));
  const messages = new Map<string, number>();
  for (const line of lines) {
    const { msg } = JSON.parse(line) as { readonly msg: string };
    messages.set(msg, (messages.get(msg) ?? 0) + 1);
  }
  const repeated = [...messages].filter(([msg, times]) => !TOLD_EACH_TIME.has(msg) && times > outages + 1);
  return [
    ...[AWAY, BACK]
      .filter((msg) => (messages.get(msg) ?? 0) > outages)
      .map((msg) => `${messages.get(msg)} times in the log: ${msg}`),
    ...repeated.map(([msg, times]) => `${times} times in the log: ${msg}`),
    ...lines.filter((line) => /"level":(50|60)|\\n\s+at /.test(line)).map((line) => `in the log: ${line}`),
    ...(stderr() === '' ? [] : [`on standard error: ${stderr()}`]),
  ];
}
