import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Secret } from '@rollcall/core';
import express from 'express';
import pg from 'pg';
import { openDatabase } from '#adapters/sql/index.js';
import { createRollcall, type Rollcall, type RollcallOptions } from '#app/index.js';
import { postJson, tokenOf } from '../support/api.js';
import { listen } from '../support/listen.js';
import { startPostgresDatabase, startPostgresUrl } from '../support/postgres.js';
import { runOnServer } from '../support/postgres-client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { until } from '../support/wait.js';
import { wrongKeyLimit } from '../support/wrong-key-limit.js';

const secretKey = 'a secret key of more than 32 characters';

describe('createRollcall', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-embedded-'));
  let files = 0;
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

  function options(): RollcallOptions {
    files += 1;
    return {
      databaseUrl: `sqlite:${join(folder, `${files}.db`)}`,
      publicUrl: 'http://127.0.0.1/partner',
      secretKey,
      webhookAllowedNetworks: ['127.0.0.0/8'],
    };
  }

  describe('in an Express application, under a path', () => {
    let rollcall: Rollcall;
    let base = '';
    const lines: string[] = [];
    const log = (_facts: object, message: string): void => void lines.push(message);
    const host = express();
    let receiver: Receiver;
    const server = createServer(host);

    before(async () => {
      receiver = await startReceiver();
      const authority = join(folder, 'authority.pem');
      writeFileSync(authority, receiver.authority);
      rollcall = await createRollcall({
        ...options(),
        webhookCaFile: authority,
        log: { debug: log, info: log, warn: log, error: log },
      });
      host.use('/partner', rollcall.app);
      host.get('/partner/old', (_request, response) => response.redirect('/new-home'));
      host.use((_request, response) => void response.status(404).send('the host'));
      base = `http://127.0.0.1:${await listen(server)}`;
      await rollcall.start();
    });
    after(async () => {
      server.closeAllConnections();
      server.close();
      await rollcall.stop();
      await receiver.stop();
    });

    /** A new organization, with a token for the API. */
    async function signedIn(name: string) {
      const organization = await rollcall.core.createOrganization({ name, eap: false });
      const { accessKey } = await rollcall.core.generateAccessKey({ organizationId: organization.id });
      return { organization, token: await tokenOf(`${base}/partner`, accessKey.reveal()) };
    }

    test('serves the API and the pages, and leaves other requests to the host', async () => {
      const { organization, token } = await signedIn('Northwind');
      const dana = { email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' };
      const path = `/partner/api/v2/organizations/${organization.id}/invite_user`;
      const invited = await postJson(`${base}${path}`, dana, token);
      assert.equal(invited.status, 200);
      const page = await fetch(`${base}/partner/sign-in`);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /\/partner\/assets\//);
      const other = await fetch(`${base}/partner/unknown`);
      assert.deepEqual([other.status, await other.text()], [404, 'the host']);
      assert.ok(lines.includes('request'));
    });

    test('leaves redirects, headers and files of the host alone', async () => {
      const redirect = await fetch(`${base}/partner/old`, { redirect: 'manual' });
      assert.equal(redirect.headers.get('location'), '/new-home');
      const file = await fetch(`${base}/partner/assets/host.js`);
      assert.deepEqual(
        [file.status, file.headers.get('content-security-policy'), file.headers.get('cache-control')],
        [404, null, null],
      );
    });

    test('recovers from clients that send more than they read and leave', async () => {
      const { port } = new URL(base);
      const request = 'GET /partner/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
      for (let round = 0; round < 4; round += 1) {
        const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
        socket.write(request.repeat(1000));
        await new Promise((resolve) => setTimeout(resolve, 300));
        socket.destroy();
      }
      assert.ok(
        await until(async () => (await fetch(`${base}/partner/sign-in`)).status === 200, 5000),
        'the service stays busy',
      );
    });

    test('frees the exports of a client that leaves before its turn', async () => {
      const { organization, token } = await signedIn('Exports');
      const path = `/partner/api/v2/organizations/${organization.id}/export_meetings?column[]=name`;
      const big = 'GET /partner/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20);
      const exporting = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const socket = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => undefined);
      socket.write(big + exporting.repeat(3));
      await new Promise((resolve) => setTimeout(resolve, 500));
      socket.destroy();
      const read = async (): Promise<number> =>
        (await fetch(base + path, { headers: { Authorization: `Bearer ${token}` } })).status;
      assert.ok(await until(async () => (await read()) === 200, 5000), 'the exports are not freed');
    });

    test('sends webhooks once it is started', async () => {
      const organization = await rollcall.core.createOrganization({ name: 'Acme', eap: false });
      const webhook = { url: receiver.url, enabled: true, events: ['user.registered'] };
      await rollcall.core.configureWebhook({ organization, how: 'set', webhook });
      const person = { email: 'kim@example.test', firstName: 'Kim', lastName: 'Lee' };
      await rollcall.core.registerUser({ ...person, organizationId: organization.id });
      assert.ok(await until(() => receiver.requests.length > 0, 10_000));
      assert.equal(receiver.requests.length, 1);
    });
  });

  test('installs no signal handler, reads no environment variable and prints nothing', async () => {
    const signals = [
      'SIGTERM',
      'SIGINT',
      'SIGHUP',
      'uncaughtException',
      'unhandledRejection',
      'exit',
    ] as const;
    const counts = (): readonly number[] => signals.map((name) => process.listenerCount(name));
    const before = counts();
    process.env.SERVICE_NAME = '!';
    process.env.PORT = 'no port';
    try {
      const rollcall = await createRollcall(options());
      await rollcall.start();
      assert.deepEqual(counts(), before);
      await rollcall.stop();
    } finally {
      delete process.env.SERVICE_NAME;
      delete process.env.PORT;
    }
  });

  test('stops twice as once, frees its database, and does not start again', async () => {
    const given = options();
    const first = await createRollcall(given);
    await first.start();
    await Promise.all([first.stop(), first.stop()]);
    await assert.rejects(first.start(), new TypeError('this service is stopped'));
    const second = await createRollcall(given);
    await second.stop();
  });

  test('one SQLite file belongs to one service', async () => {
    const given = options();
    const first = await createRollcall(given);
    await assert.rejects(createRollcall(given), /Another process serves/);
    await first.stop();
  });

  test('names every wrong option at once, and creates nothing', async () => {
    const file = join(folder, 'wrong', 'rollcall.db');
    await assert.rejects(
      createRollcall({
        databaseUrl: `sqlite:${file}`,
        publicUrl: 'not a URL',
        secretKey: 'tiny secret',
        requestLimit: 0,
        reportingTimeZone: 'Mars/Olympus',
      }),
      (error: unknown) => {
        assert.ok(error instanceof TypeError);
        const names = error.message.split('\n').map((line) => line.split(':')[0]);
        assert.deepEqual(names, ['publicUrl', 'secretKey', 'reportingTimeZone', 'requestLimit']);
        assert.doesNotMatch(error.message, /tiny secret|[A-Z]+_[A-Z]+/);
        return true;
      },
    );
    assert.ok(!existsSync(join(folder, 'wrong')));
  });

  test('names the options that are missing', async () => {
    await assert.rejects(
      createRollcall({} as RollcallOptions),
      new TypeError('databaseUrl: is missing\npublicUrl: is missing'),
    );
  });

  test('refuses blank options, short earlier keys, and passwords in its messages', async () => {
    await assert.rejects(
      createRollcall({ databaseUrl: '', publicUrl: ' ', secretKey: '', previousSecretKeys: ['a,b'] }),
      new TypeError(
        'databaseUrl: is empty\npublicUrl: is empty\nsecretKey: is empty\n' +
          'previousSecretKeys: a key of 3 characters is too short; it must be at least 32 characters long',
      ),
    );
    await assert.rejects(
      createRollcall({ ...options(), publicUrl: 'https://u:hidden@x.example' }),
      (error) => {
        assert.doesNotMatch(String(error), /hidden/);
        return true;
      },
    );
  });

  test('refuses options of another type, and names what is allowed', async () => {
    const wrong = {
      ...options(),
      secretKey: null,
      previousSecretKeys: 'an earlier key of more than 32 characters',
      serviceName: null,
      pageLimit: false,
      webhookAllowedNetworks: ['10.0.0.0/8', null],
      trustProxy: true,
      log: null,
      migrate: 'no',
      errorTracker: { report: 'a log' },
    };
    await assert.rejects(
      createRollcall(wrong as unknown as RollcallOptions),
      new TypeError(
        [
          'secretKey: null is not valid; it must be at least 32 characters long, for example the output of `openssl rand -base64 32`',
          'previousSecretKeys: a string is not valid; it must be an array of earlier secret keys, each at least 32 characters long',
          'serviceName: null is not valid; it must be a name of at most 50 letters (A to Z), digits, single spaces and hyphens, for example Acme Circles',
          'webhookAllowedNetworks: an array with null is not valid; it must be an array of networks in CIDR notation',
          'pageLimit: false is not valid; it must be an integer from 0 (no limit) to 1000000, for example 300',
          'trustProxy: true would trust any address that a client sends; it must be the number of proxies (1 to 10), an array of their addresses or networks, or false',
          'log: null is not valid; it must be an object with debug(), info(), warn(), error()',
          'migrate: a string is not valid; it must be true or false',
          'errorTracker: an object is not valid; it must be an object with report()',
        ].join('\n'),
      ),
    );
    await assert.rejects(
      createRollcall(null as unknown as RollcallOptions),
      new TypeError('databaseUrl: is missing\npublicUrl: is missing'),
    );
  });

  test('refuses options that do not exist, and names the one that was meant', async () => {
    const wrong = {
      ...options(),
      secretKeyPrevious: ['an earlier key of more than 32 characters'],
      REPORTING_TIME_ZONE: 'UTC',
      publicURL: 'http://127.0.0.1/partner',
      readDatabaseMaxLag: 10,
      smtp: undefined,
    };
    await assert.rejects(
      createRollcall(wrong),
      new TypeError(
        [
          'secretKeyPrevious: is not an option; did you mean previousSecretKeys?',
          'REPORTING_TIME_ZONE: is not an option; did you mean reportingTimeZone?',
          'publicURL: is not an option; did you mean publicUrl?',
          'readDatabaseMaxLag: is not an option; did you mean readDatabaseMaxLagSeconds?',
          'smtp: is not an option; did you mean smtpUrl?',
        ].join('\n'),
      ),
    );
    await assert.rejects(createRollcall({ ...options(), ...{ port: 3000 } }), (error: Error) => {
      assert.match(
        error.message,
        /^port: is not an option; the options are databaseUrl, .+, passwords, mailer, clock, metrics, on$/,
      );
      return true;
    });
  });

  for (const engine of ['sqlite', 'postgres'] as const)
    test(`takes the clock, the mailer and a listener of its host, and gives it metrics, on ${engine}`, async (t) => {
      const postgres = engine === 'postgres' ? await startPostgresDatabase() : null;
      t.after(() => postgres?.stop());
      const [mails, told, lines]: [string[], string[], string[]] = [[], [], []];
      const log = (_facts: object, message: string): void => void lines.push(message);
      const now = new Date('2031-02-03T04:05:06.000Z');
      const rollcall = await createRollcall({
        ...options(),
        ...(postgres !== null && { databaseUrl: postgres.url }),
        log: { debug: log, info: log, warn: log, error: log },
        clock: { now: () => now },
        mailer: {
          async send({ to }) {
            mails.push(to);
            return { outcome: 'sent' };
          },
        },
        metrics: true,
        on: {
          'user.registered'(event) {
            told.push(`${event.timestamp} ${event.user.email}`);
            throw new Error('the listener is broken');
          },
        },
      });
      t.after(() => rollcall.stop());
      const { core } = rollcall;
      const { id } = await core.createOrganization({ name: 'Northwind', eap: false });
      const person = { firstName: 'Dana', lastName: 'Kim' };
      await core.registerUser({ organizationId: id, email: 'dana@example.test', ...person });
      await assert.rejects(core.registerUser({ organizationId: id, email: 'dana@example.test', ...person }));
      assert.deepEqual(told, ['2031-02-03T04:05:06.000Z dana@example.test']);
      const organization = { id };
      await core.inviteUser({ organization, email: 'kim@example.test', ...person, sendMail: true });
      await core.sendMails({ limit: 10 });
      assert.deepEqual(mails, ['kim@example.test']);
      const hasFailed = async () => lines.includes('The listener of user.registered has failed');
      assert.ok(await until(hasFailed, 5000));
      const server = createServer(rollcall.metrics ?? undefined);
      t.after(() => server.close());
      const port = await listen(server);
      assert.match(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), /^rollcall_build_info/m);
    });

  test('removes spaces around an earlier key, as around the secret key', async () => {
    const given = options();
    const before = await createRollcall({ ...given, secretKey: `${secretKey}\n` });
    const { id } = await before.core.createOrganization({ name: 'Northwind', eap: false });
    const { accessKey } = await before.core.generateAccessKey({ organizationId: id });
    await before.stop();
    const rollcall = await createRollcall({
      ...given,
      secretKey: 'a new secret key of more than 32 characters',
      previousSecretKeys: [`${secretKey}\n`],
    });
    const { token } = await rollcall.core.authenticate({ accessKey: accessKey.reveal(), address: '' });
    assert.notEqual(token.reveal(), '');
    await rollcall.stop();
  });

  test('takes an earlier key that contains a comma as one key', async () => {
    const given = { ...options(), secretKey: 'an earlier key, with a comma, of 40 characters' };
    const before = await createRollcall(given);
    const { id } = await before.core.createOrganization({ name: 'Northwind', eap: false });
    const { accessKey } = await before.core.generateAccessKey({ organizationId: id });
    await before.stop();
    const rollcall = await createRollcall({ ...given, secretKey, previousSecretKeys: [given.secretKey] });
    const { token } = await rollcall.core.authenticate({ accessKey: accessKey.reveal(), address: '' });
    assert.notEqual(token.reveal(), '');
    await rollcall.stop();
  });

  for (const trustProxy of [false, []] as const) {
    test(`trusts no proxy with trustProxy ${JSON.stringify(trustProxy)}, whatever the host trusts`, async () => {
      const rollcall = await createRollcall({ ...options(), trustProxy, ...wrongKeyLimit(3) });
      const host = express().enable('trust proxy').use('/partner', rollcall.app);
      const server = createServer(host);
      const port = await listen(server);
      const statuses = new Set<number>();
      for (let count = 0; count < 6; count += 1) {
        const answer = await fetch(`http://127.0.0.1:${port}/partner/api/v2/authenticate`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `192.0.2.${count}` },
          body: '{"access_key":"000000000000000000000000"}',
        });
        statuses.add(answer.status);
      }
      server.closeAllConnections();
      server.close();
      await rollcall.stop();
      assert.ok(statuses.has(429), [...statuses].join(', '));
    });
  }

  test('undefined leaves a default in place', async () => {
    const rollcall = await createRollcall({ ...options(), serviceName: undefined, pageLimit: undefined });
    await rollcall.stop();
  });

  test('keeps its tables in a schema of its own, beside tables of its host with the same names', async () => {
    const postgres = await startPostgresUrl({ migrated: false });
    const run = (text: string) => runOnServer(postgres.url, text);
    const schema = `Roll "Call's\\ 1`;
    const name = pg.escapeIdentifier(schema);
    const role = new URL(postgres.url).pathname.slice(1);
    const inSchema: RollcallOptions = { ...options(), databaseUrl: postgres.url, schema };
    const limited = new URL(postgres.url);
    [limited.username, limited.password] = [role, 'secret'];
    try {
      await run(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
      await run('CREATE TABLE users (theirs text)');
      await assert.rejects(
        createRollcall({ ...options(), databaseUrl: postgres.url }),
        /another application with names that Rollcall needs: users\./,
      );
      await assert.rejects(createRollcall({ ...options(), schema: 'x' }), /^TypeError: schema: an SQLite/);
      await assert.rejects(createRollcall({ ...inSchema, schema: '' }), /^TypeError: schema: a string is/);
      await assert.rejects(createRollcall({ ...inSchema, databaseUrl: limited.href }), (error) => {
        assert.ok(String(error).includes(`: CREATE SCHEMA ${name} AUTHORIZATION ${role};`), String(error));
        return true;
      });
      const together = await Promise.all([createRollcall(inSchema), createRollcall(inSchema)]);
      const [{ core }, other] = together;
      const { id } = await core.createOrganization({ name: 'Northwind', eap: false });
      const person = { organizationId: id, firstName: 'Dana', lastName: 'Kim' };
      await core.registerUser({ ...person, email: 'dana@example.test' });
      assert.equal((await other.core.listUsers({ organization: { id } })).items.length, 1);
      const database = await openDatabase(postgres.url, { schema, serves: false });
      const snapshot = await database.snapshot();
      const tables = 'SELECT schemaname AS schema, tablename AS name FROM pg_tables';
      const found = await snapshot.all<{ schema: string; name: string }>(
        `${tables} WHERE tablename IN ('users', 'rollcall_migrations') ORDER BY schema, name`,
      );
      await snapshot.release();
      assert.deepEqual(await database.bulk((bulk) => bulk.all('SELECT email FROM users')), [
        { email: 'dana@example.test' },
      ]);
      await database.close();
      assert.deepEqual(
        found.map((table) => `${table.schema}.${table.name}`).sort(),
        [`${schema}.rollcall_migrations`, `${schema}.users`, 'public.users'].sort(),
      );
      await Promise.all(together.map((one) => one.stop()));
    } finally {
      await run(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await postgres.stop();
    }
  });

  test('connects as a pool of its host does, and leaves the pool alone', async () => {
    const postgres = await startPostgresUrl({ migrated: false });
    const { hostname, port, pathname } = new URL(postgres.url);
    const [database = '', role = ''] = [pathname.slice(1), `${pathname.slice(1)}_pool`];
    let asked = 0;
    const password = async (): Promise<string> => {
      asked += 1;
      return 'fresh "token"';
    };
    const where = { host: hostname, port: Number(port), database, user: role };
    const { databaseUrl: _, ...settings } = options();
    await runOnServer(postgres.url, `CREATE ROLE ${role} LOGIN PASSWORD 'fresh "token"'`);
    await runOnServer(postgres.url, `GRANT CREATE ON DATABASE ${database} TO ${role}`);
    const pools = [
      new pg.Pool({ ...where, password, application_name: 'host', max: 1 }),
      new pg.Pool({
        connectionString: `postgres://${role}:fresh%20%22token%22@${hostname}:${port}/${database}`,
      }),
    ];
    try {
      for (const [at, pool] of pools.entries()) {
        const lines: unknown[] = [];
        const rollcall = await createRollcall({
          ...{ ...settings, pool, schema: `of_${at}` },
          log: { ...console, debug() {}, info: (...line) => void lines.push(line) },
        });
        const { id } = await rollcall.core.createOrganization({ name: 'Northwind', eap: false });
        const connected = pool.query(
          `SELECT DISTINCT usename AS user FROM pg_stat_activity WHERE application_name = 'rollcall' AND datname = '${database}'`,
        );
        assert.deepEqual((await connected).rows, [{ user: role }]);
        await rollcall.stop();
        assert.deepEqual((await pool.query(`SELECT id FROM of_${at}.organizations`)).rows, [
          { id: String(id) },
        ]);
        assert.match(JSON.stringify(lines), new RegExp(`postgres://${role}@${hostname}:${port}/${database}`));
        assert.doesNotMatch(JSON.stringify(lines), /token/);
      }
      assert.ok(asked > 2);
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
      await runOnServer(postgres.url, `DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
      await postgres.stop();
    }
  });

  test('refuses a pool that is none, or beside a URL, and names the pool that does not connect', async () => {
    const { databaseUrl: _, ...settings } = options();
    const away = new pg.Pool({
      host: '127.0.0.1',
      port: 1,
      user: 'app',
      password: 'hidden',
      database: 'a b',
    });
    const none = [null, 'postgres://x/y', new pg.Client()] as unknown as RollcallOptions['pool'][];
    for (const pool of none)
      await assert.rejects(
        createRollcall({ ...settings, pool }),
        /^TypeError: pool: it must be a pool of pg/,
      );
    await assert.rejects(
      createRollcall({ ...options(), pool: away }),
      /^TypeError: databaseUrl: leave it out/,
    );
    await assert.rejects(createRollcall({ ...settings, pool: away }), (error) => {
      assert.match(String(error), /pool: postgres:\/\/app@127\.0\.0\.1:1\/a%20b cannot be opened/);
      assert.doesNotMatch(String(error), /hidden|DATABASE_URL/);
      return true;
    });
  });

  test('serves PostgreSQL, and reports errors where the host wants them', async (t) => {
    const postgres = await startPostgresDatabase();
    const reports: unknown[] = [];
    t.after(() => postgres.stop());
    const rollcall = await createRollcall({
      databaseUrl: postgres.url,
      publicUrl: 'http://127.0.0.1/partner',
      secretKey: new Secret(secretKey),
      errorTracker: { report: (error) => void reports.push(error) },
    });
    await rollcall.start();
    const organization = await rollcall.core.createOrganization({ name: 'Northwind', eap: false });
    assert.equal(typeof organization.id, 'number');
    await rollcall.stop();
    assert.deepEqual(reports, []);
  });
});
