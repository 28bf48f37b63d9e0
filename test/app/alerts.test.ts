import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Secret } from '@rollcall/core';
import { recordingSender } from '@rollcall/core/testing';
import { correctedClock } from '#adapters/node/system/corrected-clock.js';
import { type Metrics, prometheusMetrics } from '#adapters/node/system/metrics.js';
import { type Database, openDatabase } from '#adapters/sql/index.js';
import { ID } from '#app/assembly/identifiers.js';
import { datasetRules } from '#app/dataset/dataset-rules.js';
import { runImport } from '#app/dataset/run-import.js';
import { eventName } from '#core/testing/subscribe.js';
import { asked, overlaps, readDashboard, readPanels } from '../support/alerts/dashboard.js';
import { duration, evaluate } from '../support/alerts/expressions.js';
import { metricsIn, type Rule, readRules, rulesFile } from '../support/alerts/rules.js';
import { type Scraper, serveMetrics, startScraper, type Target } from '../support/alerts/scrapes.js';
import { startAssembledService } from '../support/assembled-service.js';
import { aRequestedSignOn } from '../support/core/sign-on-service.js';
import { type HttpService, startHttpService, type TestOrganization } from '../support/http/service.js';
import { startPostgresDatabase } from '../support/postgres.js';
import { wrongKeyLimitVariable } from '../support/wrong-key-limit.js';
import { acceptsExpressions, assertFiresInPrometheus, runPromtool } from './promtool.js';

const METRICS = { METRICS_PORT: '9464', ...wrongKeyLimitVariable(1) };
const WRONG_KEY = '9'.repeat(24);

let service: HttpService;
let postgres: Awaited<ReturnType<typeof startPostgresDatabase>>;
let organization: TestOrganization;
/** Another client of the database. */
let other: Database;
let served: Awaited<ReturnType<typeof serveMetrics>>;
let machineAheadMs = 0;
let receiverWorks = true;
let isDatabaseAway = false;
let isReadOnly = false;
let lostEvents = 0;

before(async () => {
  postgres = await startPostgresDatabase();
  other = await openDatabase(postgres.url, { timeoutMs: 30_000 });
  const clock = correctedClock({ reference: async () => new Date(Date.now() - machineAheadMs) });
  service = await startHttpService({
    database: postgres.database,
    environment: METRICS,
    real: ['limits', 'passwords', 'dispatcher'],
    override(container) {
      container.rebind(ID.clock).toConstantValue(clock);
      container
        .rebind(ID.webhookSender)
        .toConstantValue(recordingSender(() => (receiverWorks ? answered(200) : answered(500))));
      container.onActivation(ID.storageMetrics, (_, metrics) => ({
        ...metrics,
        minFreshMs: 0,
        backlog: async () => {
          if (isDatabaseAway) throw new Error('away');
          return metrics.backlog();
        },
        writeProblem: async () => (isReadOnly ? 'read-only' : null),
      }));
      container.onActivation(ID.historyWatch, (_, watch) => ({
        ...watch,
        counts: () => ({ promotions: 0, lostEvents }),
      }));
    },
  });
  organization = await service.organization();
  served = await serveMetrics(service.assembly.get(ID.metrics) as Metrics);
});
after(async () => {
  await service.assembly.get(ID.dispatcher).stop();
  served.stop();
  await service.stop();
  await other.close();
  await postgres.stop();
});

function answered(status: number) {
  const outcome = status === 200 ? ('delivered' as const) : ('failed' as const);
  return { duration: 12, outcome, phase: 'answer' as const, status, reason: `answered ${status}` };
}

/** Breaks what an alert watches. Called once between two scrapes, or around each scrape if it takes `scrape`. */
interface Breakage {
  /** Seconds, bytes and the like are divided by this in the rule, because a test cannot wait for days. */
  readonly scale?: number;
  readonly targets?: () => ReadonlyMap<string, Target>;
  readonly broken: (scrape: () => Promise<void>, targets: Map<string, Target>) => Promise<void>;
  readonly fix?: () => Promise<void>;
}

/** Breaks something, then scrapes. */
const then =
  (work: (targets: Map<string, Target>) => unknown): Breakage['broken'] =>
  async (scrape, targets) => {
    await work(targets);
    await scrape();
  };

const authenticate = (key = organization.accessKey) =>
  service.client.send('POST', '/api/v2/authenticate', { json: { access_key: key } });

const deleteDeliveries = async (): Promise<void> => {
  await other.write((sql) => sql.run('DELETE FROM deliveries'));
};

async function addDeliveries(count: number, { state = 'pending', ageSeconds = 1 } = {}): Promise<void> {
  const at = new Date(Date.now() - ageSeconds * 1000);
  const isFailed = state === 'failed';
  await other.write((sql) =>
    sql.run(
      `INSERT INTO deliveries (organization_id, event_id, event_name, body, state, created_at, finished_at)
      SELECT ?, gen_random_uuid(), '${eventName}', '{}', ?, ?, CAST(? AS timestamptz)
      FROM generate_series(1, CAST(? AS int))`,
      [organization.id, state === 'held' ? 'failed' : state, at, isFailed ? at : null, count],
    ),
  );
}

/** Scrapes while another client does this in a transaction. */
const inTransaction =
  (statement: string, wait: number): Breakage['broken'] =>
  (scrape) =>
    other.write(async (sql) => {
      await sql.run(statement);
      await pause(wait);
      await scrape();
    });

async function importLine(line: string): Promise<void> {
  const { assembly } = service;
  const rules = datasetRules({ config: assembly.get(ID.config), ports: service.ports });
  const source = (async function* () {
    yield Buffer.from(line);
  })();
  const origin = { source: 'command-line', from: null } as const;
  await runImport({ database: other, source, rules, at: new Date(), origin });
}

/** A process that has just started. */
const newProcess: Target = async () => {
  const url = new URL('../../../adapters/node/dist/system/metrics.js', import.meta.url);
  const script = `
    import { prometheusMetrics } from '${url}';
    const metrics = prometheusMetrics({ version: '1', backlog: () => Promise.reject(), pools: () => [], now: Date.now });
    metrics.handler({ method: 'GET', url: '/metrics' }, { writeHead() { return this; }, end: console.log });`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
};

const metricsOfVersion = (version: string) =>
  serveMetrics(
    prometheusMetrics({ version, backlog: () => Promise.reject(), pools: () => [], now: Date.now }),
  );

let older: Awaited<ReturnType<typeof metricsOfVersion>> | undefined;

const breakages: Readonly<Record<string, Breakage>> = {
  RollcallDown: { broken: then((targets) => targets.set('a', () => Promise.reject())) },
  RollcallRestarts: {
    targets: () => new Map([['a', newProcess]]),
    broken: then(() => pause(1_100)),
  },
  RollcallDatabaseDown: {
    broken: then(() => {
      isDatabaseAway = true;
    }),
    fix: async () => {
      isDatabaseAway = false;
    },
  },
  RollcallDatabaseReadOnly: {
    broken: then(() => {
      isReadOnly = true;
    }),
    fix: async () => {
      isReadOnly = false;
    },
  },
  RollcallEventsLost: {
    broken: then(() => {
      lostEvents += 184;
    }),
  },
  RollcallErrors: {
    broken: then(async () => {
      const fix = service.replace('organizations', {
        byAccessKeyHash: () => Promise.reject(new Error('bug')),
      });
      for (let count = 0; count < 3; count += 1) await authenticate();
      fix();
    }),
  },
  RollcallSlowRequests: {
    broken: then(async () => {
      const { byAccessKeyHash } = service.ports.organizations;
      const fix = service.replace('organizations', {
        byAccessKeyHash: async (hashes) => pause(1_100).then(() => byAccessKeyHash(hashes)),
      });
      await authenticate();
      fix();
    }),
  },
  RollcallConnectionsExhausted: {
    async broken(scrape) {
      const requests: Promise<unknown>[] = [];
      await other.write(async (sql) => {
        await sql.run('LOCK TABLE organizations IN ACCESS EXCLUSIVE MODE');
        // Those of one turn of the event loop would share a connection.
        for (let count = 0; count < 15; count += 1) {
          requests.push(authenticate());
          await pause(5);
        }
        await pause(100);
        await scrape();
      });
      await Promise.all(requests);
    },
  },
  RollcallEventLoopLag: {
    broken: then(async () => {
      await pause(20);
      const end = performance.now() + 700;
      while (performance.now() < end);
      await pause(20);
    }),
  },
  RollcallOutboxStuck: {
    broken: then(async () => {
      await deleteDeliveries();
      await addDeliveries(1, { ageSeconds: 400 });
    }),
    fix: deleteDeliveries,
  },
  RollcallOutboxLong: {
    broken: then(async () => {
      await deleteDeliveries();
      await addDeliveries(1001);
    }),
    fix: deleteDeliveries,
  },
  RollcallDeliveriesHeld: {
    broken: then(() => addDeliveries(1, { state: 'held' })),
    fix: deleteDeliveries,
  },
  RollcallMailsWait: {
    broken: then(async () => {
      const at = new Date(Date.now() - 6_000_000);
      await other.write((sql) =>
        sql.run(
          "INSERT INTO mails (kind, email, created_at, due_at) VALUES ('password-changed', 'a@b.test', ?, ?)",
          [at, at],
        ),
      );
    }),
    fix: async () => {
      await other.write((sql) => sql.run('DELETE FROM mails'));
    },
  },
  RollcallDeliveriesFail: {
    broken: then(async () => {
      receiverWorks = false;
      const webhook = { url: 'https://partner.example.test/', enabled: true, events: [eventName] };
      await service.core.configureWebhook({ organization, how: 'set', webhook });
      const dispatcher = service.assembly.get(ID.dispatcher);
      await addDeliveries(4);
      dispatcher.start(service.core.deliverWebhooks);
      for (let left = 1; left > 0; await pause(20)) {
        const { pending, sending } = await service.assembly.get(ID.storageMetrics).backlog();
        left = pending + sending;
      }
      await dispatcher.stop();
    }),
    fix: deleteDeliveries,
  },
  RollcallFailedBacklog: {
    broken: then(async () => {
      await deleteDeliveries();
      await addDeliveries(1001, { state: 'failed' });
    }),
    fix: deleteDeliveries,
  },
  RollcallClaimsSlow: {
    broken: then(async () => {
      const dispatcher = service.assembly.get(ID.dispatcher);
      const { claim } = service.ports.outbox;
      const fix = service.replace('outbox', { claim: (request) => pause(700).then(() => claim(request)) });
      dispatcher.start(service.core.deliverWebhooks);
      await dispatcher.stop();
      fix();
    }),
  },
  RollcallOldTransaction: { scale: 1000, broken: inTransaction('SELECT 1', 400) },
  RollcallOldSnapshot: {
    scale: 3000,
    broken: inTransaction('DECLARE old CURSOR FOR SELECT 1', 400),
  },
  RollcallSnapshotFarBehind: {
    scale: 1_000_000,
    async broken(scrape) {
      await other.write(async (sql) => {
        await sql.run('DECLARE old CURSOR FOR SELECT 1');
        for (let count = 0; count < 7; count += 1)
          await postgres.database.write((own) => own.run('SELECT pg_current_xact_id()'));
        await scrape();
      });
    },
  },
  RollcallImportFailed: {
    broken: then(() => importLine('{"kind":"organization","id":"wrong"}').catch(() => undefined)),
  },
  RollcallClockWrong: {
    broken: then(async () => {
      machineAheadMs = 4_000;
      await service.assembly.get(ID.clock).measure();
    }),
    async fix() {
      machineAheadMs = 0;
      await service.assembly.get(ID.clock).measure();
    },
  },
  RollcallSecretKeyMissing: {
    broken: async (scrape, targets) => {
      const environment = { ...METRICS, SECRET_KEY: 'another secret key of 32 characters or more' };
      const wrong = await startAssembledService({ database: postgres.database, environment });
      const metrics = await serveMetrics(wrong.assembly.get(ID.metrics) as Metrics);
      targets.set('a', metrics.target);
      await scrape();
      metrics.stop();
    },
  },
  RollcallSignOnsFail: {
    broken: then(() => {
      const failed = { kind: 'sign-on-failed', organizationId: organization.id, address: null } as const;
      for (let count = 0; count < 30; count += 1)
        service.ports.securityLog?.record({ ...failed, outcome: 'invalid', reason: 'the nonce is wrong' });
    }),
  },
  RollcallSignOnSecretExpires: {
    broken: then(async () => {
      const secretExpiresOn = new Date(Date.now() + 20 * 24 * 60 * 60_000).toISOString().slice(0, 10);
      await service.core.saveSignOn({ organization, signOn: aRequestedSignOn({ secretExpiresOn }) });
      await service.core.switchSignOn({ organization, to: 'on' });
    }),
    fix: () => service.core.removeSignOn({ organization }),
  },
  RollcallSecondFactorsGuessed: {
    broken: then(() =>
      service.ports.securityLog?.record({
        ...{ kind: 'sign-in-refused', factor: 'code', address: null, account: 'ada@example.test' },
      }),
    ),
  },
  RollcallManyRefused: {
    broken: then(async () => {
      for (let count = 0; count < 400; count += 1)
        await service.core
          .authenticate({ accessKey: WRONG_KEY, address: '192.0.2.7' })
          .catch(() => undefined);
    }),
  },
  RollcallPasswordsWait: {
    scale: 10,
    async broken(scrape) {
      const passwords = service.assembly.get(ID.passwords);
      const hashed = Array.from({ length: 15 }, () => passwords.hash(new Secret('a password')));
      await scrape();
      await Promise.all(hashed);
    },
  },
  RollcallOlderAccessKeyUsed: {
    broken: then(async () => {
      await service.core.generateAccessKey({ organizationId: organization.id, keepOldForHours: 1 });
      const { id, token } = organization;
      await service.core.authorize({ token, organizationId: String(id) });
    }),
  },
  RollcallVersionsDiffer: {
    broken: then(async (targets) => {
      older ??= await metricsOfVersion('0.0.9');
      targets.set('b', older.target);
    }),
    fix: async () => older?.stop(),
  },
};

const QUIET = 3;

describe('contracts/alerts.yaml', () => {
  const rules = readRules();

  test('each rule says what is wrong and what to do, and names metrics that the service exports', async () => {
    const text = await served.target();
    const exported = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    for (const { alert, expr, labels, annotations } of rules) {
      assert.match(alert, /^Rollcall[A-Z]\w+$/);
      assert.match(labels.severity, /^(critical|warning|info)$/);
      assert.match(annotations.summary, /^[A-Z].{10,}\.$/, alert);
      assert.match(annotations.action, /^[A-Z].{20,}\.$/, alert);
      const names = metricsIn(expr);
      assert.ok(names.length > 0, alert);
      for (const name of names) assert.ok(name === 'up' || exported.has(name), `${alert}: ${name}`);
    }
    assert.deepEqual(rules.map(({ alert }) => alert).sort(), Object.keys(breakages).sort());
  });

  test('each panel of the dashboard says what it shows, and names metrics that the service exports', async () => {
    const text = await served.target();
    const exported = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    const panels = readPanels();
    assert.ok(panels.length > 20);
    for (const { title, description, expressions } of panels) {
      assert.match(description, /^[A-Z0-9].{5,}\.$/, title);
      assert.ok(expressions.length > 0, title);
      for (const name of expressions.flatMap(metricsIn))
        assert.ok(name === 'up' || exported.has(name), `${title}: ${name}`);
      for (const expression of expressions) assert.ok(expression.includes('job=~"$job"'), title);
    }
    assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
    assert.deepEqual(overlaps(panels), []);
  });

  test('the dashboard has what Grafana needs: known panels with numbers, places and the chosen data source', () => {
    const { schemaVersion, templating, panels } = readDashboard();
    assert.equal(schemaVersion, 39);
    const prometheus = { type: 'prometheus', uid: `\${${templating.list[0]?.name}}` };
    assert.deepEqual(
      templating.list.map(({ name, type, query, datasource }) => ({ name, type, query, datasource })),
      [
        { name: 'datasource', type: 'datasource', query: 'prometheus', datasource: undefined },
        {
          ...{ name: 'job', type: 'query', datasource: prometheus },
          query: { query: 'label_values(rollcall_build_info, job)', refId: 'job' },
        },
      ],
    );
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const { id, type, title, datasource, targets = [], gridPos } of panels) {
      assert.ok(Number.isInteger(id) && ['row', 'stat', 'timeseries'].includes(type), title);
      const { x, y, w, h } = gridPos;
      assert.ok([x, y, w, h].every(Number.isInteger) && x >= 0 && y >= 0 && w > 0 && h > 0, title);
      assert.ok(x + w <= 24, title);
      assert.deepEqual([title, datasource], [title, type === 'row' ? undefined : prometheus]);
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
    }
    assert.deepEqual(overlaps(panels.map(({ title, gridPos: place }) => ({ title, place }))), []);
  });

  test('each panel of the dashboard asks what Prometheus understands, and gets figures of a running service', async (t) => {
    await authenticate();
    await service.assembly.get(ID.clock).measure();
    const scraper = startScraper(60, new Map([['a', served.target]]));
    for (let count = 0; count < 2; count += 1) await scraper.scrape();
    const expressions = readPanels().flatMap((panel) => panel.expressions.map(asked));
    for (const expression of expressions) {
      const found = evaluate(expression, scraper.scrapes);
      // A histogram without observations has no quantile.
      assert.ok(found.length > 0 || expression.startsWith('histogram_quantile('), expression);
    }
    const accepted = acceptsExpressions(expressions);
    if (accepted === null)
      return t.diagnostic('promtool is not installed here: only our evaluator was asked');
    assert.deepEqual(accepted, { status: 0, rules: expressions.length });
  });

  test('promtool accepts the rules and the metrics, where it is installed', async (context) => {
    const result = runPromtool(['check', 'rules', rulesFile]);
    if (result === null)
      return context.diagnostic('promtool is not installed here: only our evaluator judges the rules');
    assert.equal(result.status, 0, result.text);
    const metrics = runPromtool(['check', 'metrics'], await served.target());
    assert.deepEqual(metrics, { status: 0, text: '' });
  });

  for (const written of rules) {
    const { scale = 1, targets, broken, fix } = breakages[written.alert] ?? { broken: async () => {} };
    test(`${written.alert} fires when what it watches is broken, and not before`, async () => {
      const rule: Rule = { ...written, expr: scaled(written.expr, scale) };
      const holds = duration(rule.for);
      const stepSeconds = stepOf(rule, holds);
      const quiet = targets === undefined ? QUIET : 1;
      const from = targets?.() ?? new Map([['a', served.target]]);
      const scraper = await startQuietly(rule, { stepSeconds, quiet, targets: from });
      const { scrapes } = scraper;
      try {
        // A series that is new, such as that of the first 500, has a rate from its second scrape on.
        const count = Math.max(
          Math.ceil(holds / stepSeconds) + (holds > 0 ? 2 : 1),
          targets === undefined ? 1 : 4,
        );
        for (let times = 0; times < count; times += 1) await broken(() => scraper.scrape(), scraper.targets);
        const firing = scrapes.filter(({ at }) => at >= (scrapes.at(-1)?.at ?? 0) - holds);
        for (const { at } of firing) {
          const known = scrapes.filter((scrape) => scrape.at <= at);
          assert.notDeepEqual(evaluate(rule.expr, known), [], `at ${at} s of ${scrapes.at(-1)?.at} s`);
        }
        assertFiresInPrometheus(rule, { scrapes, quiet, stepSeconds });
      } finally {
        await fix?.();
      }
    });
  }
});

/** Scrapes until the alert is quiet. A busy machine may need some tries. */
async function startQuietly(
  { alert, expr }: Rule,
  {
    stepSeconds,
    quiet,
    targets,
  }: { readonly stepSeconds: number; readonly quiet: number; readonly targets: ReadonlyMap<string, Target> },
): Promise<Scraper> {
  for (let tries = 0; tries < 10; tries += 1) {
    const scraper = startScraper(stepSeconds, targets);
    for (let count = 0; count < quiet; count += 1) await scraper.scrape();
    const isQuiet = scraper.scrapes.every(
      (_, index) => evaluate(expr, scraper.scrapes.slice(0, index + 1)).length === 0,
    );
    if (isQuiet) return scraper;
    await pause(200);
  }
  return assert.fail(`${alert} fires although nothing is broken`);
}

/** As long as the rule allows: each scrape has to find what is broken, and a rate needs two in its range. */
function stepOf({ expr }: Rule, holds: number): number {
  if (holds < 300) return 60;
  return expr.includes('[5m]') ? 120 : Math.min(holds / 2, 240);
}

/** The expression with its limit divided. */
function scaled(expr: string, scale: number): string {
  return expr.replace(/ > (\d+)$/, (_, limit) => ` > ${Number(limit) / scale}`);
}
