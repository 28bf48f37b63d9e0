import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspect, isDeepStrictEqual } from 'node:util';
import { exposureWarnings } from '#app/config/exposure.js';
import { locationLiterals } from '#app/config/locations.js';
import type { Environment } from '#app/config/rules.js';
import { settingNames, settingOf, variableOf } from '#app/config/settings.js';
import type { Config } from '#app/config.js';
import { linesOf, run } from '../support/app-cli.js';
import { problemsOf, readIn, secretKey } from '../support/config.js';
import { folderOfTest } from '../support/folders.js';

const operatorToken = '0123456789abcdef0123456789ABCDEF';

const directory = folderOfTest();
const read = readIn(directory);

describe('The configuration', () => {
  directory.forEachTest();

  test('has a default for everything except the secret key', () => {
    const file = join(directory.path, 'rollcall.db');
    const { secretKey: key, ...rest } = read({});
    assert.equal(key.reveal(), secretKey);
    assert.deepEqual(rest, {
      port: 3000,
      host: '127.0.0.1',
      keepAliveMs: 5000,
      publicUrl: 'http://localhost:3000',
      database: { engine: 'sqlite', url: `sqlite:${file}`, file },
      replica: null,
      previousSecretKeys: [],
      serviceName: 'Service',
      meetingUrl: null,
      support: null,
      thirdPartyLocation: 'zoom',
      brand: { color: '#524ed2', logo: null },
      reportingTimeZone: 'UTC',
      webhookAllowedNetworks: [],
      webhookCaFile: null,
      nodeExtraCaFile: null,
      failedAuthenticateLimit: 100,
      requestLimit: null,
      pageLimit: 300,
      feedLimit: 30,
      deliveryRetentionDays: 30,
      eventRetentionDays: 30,
      webhookFailureNotice: 20,
      mail: null,
      accessKeyPrefix: '',
      stagingUrl: null,
      trustProxy: null,
      sentryDsn: null,
      logLevel: 'info',
      privateHostNames: [],
      metrics: null,
      operator: null,
    });
  });

  test('is read from every variable', () => {
    const {
      secretKey: _key,
      database: _database,
      previousSecretKeys,
      sentryDsn,
      operator,
      mail,
      ...rest
    } = read({
      PORT: '8080',
      HOST: '0.0.0.0',
      KEEP_ALIVE_TIMEOUT: '620',
      PUBLIC_URL: 'https://rollcall.example.com/',
      SECRET_KEY_PREVIOUS: `first ${secretKey}, second ${secretKey}`,
      SERVICE_NAME: 'Acme Circles',
      BRAND_COLOR: '#0B7A75',
      MEETING_URL: 'https://meet.example.com/m/{id}?from=us',
      SUPPORT_URL: 'https://example.com/help?a=1',
      SUPPORT_EMAIL: 'help@example.com',
      THIRD_PARTY_LOCATION: 'Big Meetings',
      REPORTING_TIME_ZONE: 'Europe/Berlin',
      WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8, fd00::/8',
      FAILED_AUTHENTICATE_LIMIT: '0',
      REQUEST_LIMIT: '600',
      PAGE_LIMIT: '0',
      FEED_LIMIT: '60',
      DELIVERY_RETENTION_DAYS: '7',
      EVENT_RETENTION_DAYS: '365',
      WEBHOOK_FAILURE_NOTICE: '50',
      SMTP_URL: 'smtps://rollcall:hidden@mail.example.com',
      MAIL_FROM: 'rollcall@example.com',
      SENTRY_DSN: 'https://hidden@sentry.example/7',
      ACCESS_KEY_PREFIX: '02',
      STAGING_URL: 'https://staging.example.com/rollcall/',
      TRUST_PROXY: '2',
      LOG_LEVEL: 'debug',
      METRICS_PORT: '9464',
      METRICS_HOST: '0.0.0.0',
      PRIVATE_HOST_NAMES: 'metrics.example.com, operator.example.com',
      OPERATOR_PORT: '3100',
      OPERATOR_HOST: '10.0.0.5',
      OPERATOR_TOKEN: operatorToken,
    });
    assert.deepEqual(
      [mail?.smtpUrl.reveal(), mail?.from, JSON.stringify(mail).includes('hidden')],
      ['smtps://rollcall:hidden@mail.example.com', 'rollcall@example.com', false],
    );
    assert.deepEqual(
      previousSecretKeys.map((key) => key.reveal()),
      [`first ${secretKey}`, `second ${secretKey}`],
    );
    assert.equal(sentryDsn?.reveal(), 'https://hidden@sentry.example/7');
    assert.deepEqual(
      { ...operator, token: operator?.token.reveal() },
      { port: 3100, host: '10.0.0.5', token: operatorToken },
    );
    const defaults = read({});
    const unchanged = Object.entries(rest).filter(([name, value]) =>
      isDeepStrictEqual(value, defaults[name as keyof Config]),
    );
    // These need files and PostgreSQL.
    assert.deepEqual(Object.keys(Object.fromEntries(unchanged)).sort(), [
      'nodeExtraCaFile',
      'replica',
      'webhookCaFile',
    ]);
    assert.deepEqual(rest, {
      port: 8080,
      host: '0.0.0.0',
      keepAliveMs: 620_000,
      replica: null,
      publicUrl: 'https://rollcall.example.com',
      serviceName: 'Acme Circles',
      meetingUrl: 'https://meet.example.com/m/{id}?from=us',
      support: 'https://example.com/help?a=1',
      thirdPartyLocation: 'big-meetings',
      brand: { color: '#0b7a75', logo: null },
      reportingTimeZone: 'Europe/Berlin',
      webhookAllowedNetworks: ['10.0.0.0/8', 'fd00::/8'],
      webhookCaFile: null,
      nodeExtraCaFile: null,
      failedAuthenticateLimit: 0,
      requestLimit: 600,
      pageLimit: 0,
      feedLimit: 60,
      deliveryRetentionDays: 7,
      eventRetentionDays: 365,
      webhookFailureNotice: 50,
      accessKeyPrefix: '02',
      stagingUrl: 'https://staging.example.com/rollcall',
      trustProxy: 2,
      logLevel: 'debug',
      privateHostNames: ['metrics.example.com', 'operator.example.com'],
      metrics: { port: 9464, host: '0.0.0.0' },
    });
  });

  test('provides the two location literals', () => {
    const config = read({ SERVICE_NAME: 'Acme Circles', THIRD_PARTY_LOCATION: 'zoom' });
    assert.deepEqual(locationLiterals(config), ['acme-circles', 'zoom']);
  });

  test('makes a link of the address for people who need help, unless there is a page', () => {
    const supportOf = (environment: Environment) => read(environment).support;
    assert.equal(supportOf({ SUPPORT_EMAIL: 'help?+me@example.com' }), 'mailto:help%3F%2Bme@example.com');
    const both = { SUPPORT_URL: 'https://example.com', SUPPORT_EMAIL: 'help@example.com' };
    assert.equal(supportOf(both), 'https://example.com/');
  });

  test('treats an empty variable as not set', () => {
    const config = read({ PORT: '', LOG_LEVEL: ' ', STAGING_URL: '', TRUST_PROXY: '' });
    assert.deepEqual(
      [config.port, config.logLevel, config.stagingUrl, config.trustProxy],
      [3000, 'info', null, null],
    );
  });

  test('never prints a secret, and cannot be changed', () => {
    const config = read({
      SECRET_KEY_PREVIOUS: `earlier ${secretKey}`,
      SENTRY_DSN: 'https://asecretkey@sentry.example/7',
    });
    const { sentryDsn } = config;
    assert.equal(sentryDsn?.reveal(), 'https://asecretkey@sentry.example/7');
    for (const text of [
      JSON.stringify(config),
      inspect(config, { depth: 9 }),
      `${config.secretKey}`,
      `${sentryDsn}`,
    ]) {
      assert.ok(!/secret.key/.test(text), text);
      assert.ok(text.includes('***'), text);
    }
    assert.throws(() => Object.assign(config, { port: 1 }), TypeError);
    assert.throws(() => Object.assign(config.database, { file: '/' }), TypeError);
  });

  const invalidValues: readonly (readonly [variable: string, value: string])[] = [
    ['PORT', 'abc'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', 'Infinity'],
    ['HOST', 'a b'],
    ['HOST', 'http://localhost'],
    ['PUBLIC_URL', 'rollcall.example.com'],
    ['PUBLIC_URL', 'ftp://example.com'],
    ['PUBLIC_URL', 'https://example.com/roll call'],
    ['PUBLIC_URL', 'https://example.com//rollcall'],
    ['PUBLIC_URL', 'https://example.com/?'],
    ['PUBLIC_URL', 'https://user:password@example.com'],
    ['DATABASE_URL', 'data/rollcall.db'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'sqlite::memory:'],
    ['DATABASE_URL', 'sqlite://host/file.db'],
    ['DATABASE_URL', 'mysql://localhost/rollcall'],
    ['DATABASE_URL', 'postgres://db.example'],
    ['DATABASE_URL', 'postgres:///rollcall'],
    ['DATABASE_URL', 'postgres://db.example:port/rollcall'],
    ['DATABASE_URL', 'postgres://db.example/rollcall?sslmode=always'],
    ['DATABASE_URL', 'postgres://db.example/rollcall?sslmode=verify-ca'],
    ['DATABASE_URL', 'postgres://me:hidden@one.example:5432,two.example:5432/rollcall'],
    ['DATABASE_URL', 'postgres://me:hidden@/rollcall?host=one.example,two.example'],
    ['DATABASE_URL', 'postgres://db.example/rollcall?target_session_attrs=read-write'],
    ['DATABASE_URL', 'postgres://db.example/rollcall?load_balance_hosts=random'],
    ['READ_DATABASE_URL', 'postgres://one.example,two.example/rollcall'],
    ['READ_DATABASE_URL', 'sqlite:replica.db'],
    ['READ_DATABASE_URL', 'postgres://replica.example'],
    ['READ_DATABASE_URL', 'postgres://me:hidden@replica.example/rollcall'],
    ['READ_DATABASE_MAX_LAG', '0'],
    ['READ_DATABASE_MAX_LAG', 'ten'],
    ['SECRET_KEY', 'x'.repeat(31)],
    ['SECRET_KEY_PREVIOUS', `${secretKey},short`],
    ['SERVICE_NAME', 'Ünï'],
    ['SERVICE_NAME', 'a_b'],
    ['SERVICE_NAME', 'two  spaces'],
    ['SERVICE_NAME', '-x'],
    ['SERVICE_NAME', 'x'.repeat(51)],
    ['SERVICE_NAME', 'Zoom'],
    ['BRAND_COLOR', 'red'],
    ['BRAND_COLOR', '#0b7'],
    ['BRAND_COLOR', '#0b7a75ff'],
    ['BRAND_LOGO', '/nowhere/logo.svg'],
    ['BRAND_LOGO', '/dev/null'],
    ['BRAND_LOGO', '/dev'],
    ['MEETING_URL', 'https://meet.example.com/m'],
    ['MEETING_URL', 'https://meet.example.com/{id}/{id}'],
    ['MEETING_URL', 'https://{id}.example.com/'],
    ['MEETING_URL', 'https://me:hidden@meet.example.com/{id}'],
    ['MEETING_URL', 'javascript:alert({id})'],
    ['SUPPORT_URL', 'example.com/help'],
    ['SUPPORT_URL', 'javascript:alert(1)'],
    ['SUPPORT_URL', 'https://me:hidden@example.com'],
    ['SUPPORT_EMAIL', 'help'],
    ['THIRD_PARTY_LOCATION', 'zoom!'],
    ['THIRD_PARTY_LOCATION', 'SERVICE'],
    ['REPORTING_TIME_ZONE', 'Mars/Olympus'],
    ['REPORTING_TIME_ZONE', '+02:00'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.1'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/8,nonsense'],
    ['WEBHOOK_CA_FILE', '/nowhere/ca.pem'],
    ['WEBHOOK_CA_FILE', '/dev/null'],
    ['FAILED_AUTHENTICATE_LIMIT', '-1'],
    ['FAILED_AUTHENTICATE_LIMIT', 'many'],
    ['REQUEST_LIMIT', '0'],
    ['REQUEST_LIMIT', '1.5'],
    ['PAGE_LIMIT', '-1'],
    ['FEED_LIMIT', 'often'],
    ['KEEP_ALIVE_TIMEOUT', '0'],
    ['KEEP_ALIVE_TIMEOUT', '86401'],
    ['DELIVERY_RETENTION_DAYS', '0'],
    ['DELIVERY_RETENTION_DAYS', 'for ever'],
    ['EVENT_RETENTION_DAYS', '366'],
    ['WEBHOOK_FAILURE_NOTICE', '-1'],
    ['ACCESS_KEY_PREFIX', 'a'],
    ['STAGING_URL', 'staging'],
    ['SENTRY_DSN', 'sentry'],
    ['SENTRY_DSN', 'https://sentry.example/7'],
    ['SENTRY_DSN', 'https://hidden@sentry.example'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '0'],
    ['TRUST_PROXY', 'my-proxy'],
    ['LOG_LEVEL', 'loud'],
    ['METRICS_PORT', 'many'],
    ['METRICS_PORT', '3000'],
    ['METRICS_HOST', 'http://localhost'],
    ['PRIVATE_HOST_NAMES', 'rollcall.example.com:9464'],
    ['OPERATOR_PORT', 'many'],
    ['OPERATOR_HOST', 'http://localhost'],
    ['OPERATOR_TOKEN', 'hidden'],
    ['OPERATOR_TOKEN', 'a token with spaces that is long enough, hidden'],
  ];
  test('has a wrong value below for each variable', () => {
    const known = invalidValues.map(([variable]) => variable);
    const missing = settingNames.map(variableOf).filter((variable) => !known.includes(variable));
    // They need each other.
    assert.deepEqual(missing, ['SMTP_URL', 'MAIL_FROM']);
  });

  for (const [variable, value] of invalidValues) {
    test(`refuses ${variable}=${value.slice(0, 40)} in one line with its name and an example`, () => {
      const problems = problemsOf(() => read({ [variable]: value }));
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.ok(!problems.join().includes('hidden'));
      const reported = variable === 'SERVICE_NAME' && value === 'Zoom' ? 'THIRD_PARTY_LOCATION' : variable;
      assert.match(problems[0] ?? '', new RegExp(`^${reported}: .+; it must be .+, for example .+$`));
    });
  }

  test('shows the value that is not valid', () => {
    assert.deepEqual(
      problemsOf(() => read({ SERVICE_NAME: '?' })),
      [
        'SERVICE_NAME: "?" is not valid; it must be a name of at most 50 letters (A to Z), digits, single spaces and hyphens, for example Acme Circles',
      ],
    );
  });

  test('says how to follow a failover instead of naming several hosts, which a comma in a password does not', () => {
    const several = 'postgres://me:a,b@one.example,two.example/rollcall';
    assert.match(
      problemsOf(() => read({ DATABASE_URL: several })).join(),
      /several hosts: not supported\. Name one host that always leads to the right server: HAProxy, a virtual IP/,
    );
    assert.deepEqual(
      problemsOf(() => read({ DATABASE_URL: 'postgres://me:a,b@one.example/rollcall' })),
      [],
    );
  });

  test('accepts the URL of a PostgreSQL database, and never shows its password', () => {
    for (const [url, shown] of [
      ['postgres://me:hidden@db.example:6432/rollcall', 'postgres://me:***@db.example:6432/rollcall'],
      [
        'postgresql://db.example/rollcall?sslmode=verify-full&password=hidden',
        'postgresql://db.example/rollcall?sslmode=verify-full&password=***',
      ],
    ] as const) {
      const config = read({ DATABASE_URL: url });
      const { database } = config;
      assert.equal(database.engine, 'postgres');
      assert.equal(database.url, shown);
      assert.equal(database.engine === 'postgres' && database.connection.reveal(), url);
      assert.ok(!`${JSON.stringify(config)} ${inspect(config, { depth: 9 })}`.includes('hidden'));
    }
  });

  test('accepts the URL of a replica, and never shows its password', () => {
    const DATABASE_URL = 'postgres://db.example/rollcall';
    const READ_DATABASE_URL = 'postgres://me:hidden@replica.example/rollcall';
    const config = read({ DATABASE_URL, READ_DATABASE_URL, READ_DATABASE_MAX_LAG: '60' });
    const { replica } = config;
    assert.equal(replica?.connection.reveal(), READ_DATABASE_URL);
    assert.equal(replica.url, 'postgres://me:***@replica.example/rollcall');
    assert.equal(replica.maxLagSeconds, 60);
    assert.equal(read({ DATABASE_URL, READ_DATABASE_URL }).replica?.maxLagSeconds, 10);
    assert.ok(!`${JSON.stringify(config)} ${inspect(config, { depth: 9 })}`.includes('hidden'));
  });

  test('requires SECRET_KEY with PostgreSQL, because there is no database file to store a key next to', () => {
    const DATABASE_URL = 'postgres://me:hidden@db.example/rollcall';
    const [problem = '', ...others] = problemsOf(() => read({ DATABASE_URL, SECRET_KEY: undefined }));
    assert.deepEqual(others, []);
    assert.match(problem, /^SECRET_KEY: is not set, which PostgreSQL requires; it must be .*, for example /);
  });

  test('requires OPERATOR_TOKEN with OPERATOR_PORT, which is no other port', () => {
    const OPERATOR_TOKEN = operatorToken;
    const wrong: readonly (readonly [Record<string, string>, string])[] = [
      [{ OPERATOR_PORT: '3100' }, 'OPERATOR_TOKEN: is not set, which OPERATOR_PORT requires'],
      [
        { OPERATOR_PORT: '3100', OPERATOR_TOKEN: OPERATOR_TOKEN.slice(0, 31) },
        'OPERATOR_TOKEN: a token of 31 characters is too short',
      ],
      [{ OPERATOR_PORT: '3000', OPERATOR_TOKEN }, 'OPERATOR_PORT: 3000 is also PORT'],
      [
        { OPERATOR_PORT: '9464', METRICS_PORT: '9464', OPERATOR_TOKEN },
        'OPERATOR_PORT: 9464 is also METRICS_PORT',
      ],
    ];
    for (const [environment, reason] of wrong) {
      const [problem = '', ...others] = problemsOf(() => read(environment));
      assert.deepEqual(others, []);
      assert.ok(problem.startsWith(`${reason}; it must be `), problem);
    }
    assert.equal(read({ OPERATOR_TOKEN }).operator, null, 'off without a port');
  });

  test('ignores the addresses of services that Kubernetes and Docker set by themselves, and says so', () => {
    for (const link of ['tcp://10.0.0.1:9464', 'udp://10.0.0.1:9464', 'tcp://[fd00::1]:9464']) {
      const notices: string[] = [];
      const config = read({ METRICS_PORT: link, OPERATOR_PORT: link }, notices);
      assert.deepEqual([config.metrics, config.operator], [null, null]);
      assert.deepEqual(
        notices.map((line) => line.split(' ', 1)[0]),
        ['OPERATOR_PORT:', 'METRICS_PORT:'],
      );
      for (const line of notices) assert.match(line, /enableServiceLinks: false/);
    }
  });

  test('says what is wrong with the URL of a database that is meant for another program', () => {
    for (const name of ['DATABASE_URL', 'READ_DATABASE_URL'])
      for (const [url, reason] of [
        ['jdbc:postgresql://db.example/hidden', 'a URL that begins with jdbc: is for Java; leave jdbc: out'],
        [
          'postgresql+asyncpg://db.example/hidden',
          'the name of a driver after + is for Python; leave it out',
        ],
        [
          '"postgres://db.example/hidden"',
          'the value begins with a quotation mark; leave the quotation marks out',
        ],
        [
          'postgres://db.example/a?schema=hidden',
          'schema is not a parameter; use options=-c%20search_path%3D<schema>',
        ],
      ] as const) {
        const [problem = '', ...others] = problemsOf(() =>
          read({ DATABASE_URL: 'postgres://db.example/a', [name]: url }),
        );
        assert.deepEqual(others, []);
        assert.ok(problem.startsWith(`${name}: ${reason}; it must be `), problem);
        assert.ok(!problem.includes('hidden'));
      }
    const shown = (given: Environment): string =>
      read({ DATABASE_URL: 'postgres://db.example/a', ...given }).database.url;
    assert.equal(shown({ PGSSLMODE: 'verify-full' }), 'postgres://db.example/a?sslmode=verify-full');
    const url = 'postgres://db.example/a?sslmode=disable';
    assert.equal(shown({ PGSSLMODE: 'verify-full', DATABASE_URL: url }), url);
    assert.match(
      problemsOf(() => shown({ PGSSLMODE: 'loud' })).join(),
      /^DATABASE_URL: sslmode must be one of/,
    );
    const DATABASE_URL = 'postgresql://db.example/a?sslmode=require&schema=public';
    assert.equal(read({ DATABASE_URL }).database.engine, 'postgres');
  });

  test('warns of an address and links that do not fit together', () => {
    const warnings = (environment: Environment): string =>
      exposureWarnings(environment, read(environment)).join('\n');
    for (const HOST of [
      '127.0.0.1',
      '127.8.0.1',
      '::1',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
      'localhost',
      'LocalHost',
    ])
      assert.equal(warnings({ HOST }), '', HOST);
    for (const HOST of ['0.0.0.0', '::', '10.0.0.5', 'fd00::5', 'rollcall.example.com']) {
      assert.match(
        warnings({ HOST }),
        /^HOST is .+ and PUBLIC_URL is not set, .+ http:\/\/localhost:3000: [^\n]+$/,
      );
      assert.match(warnings({ HOST, PUBLIC_URL: ' ' }), /PUBLIC_URL is not set/);
      assert.equal(warnings({ HOST, PUBLIC_URL: 'http://localhost:3000' }), '', HOST);
    }
    assert.match(
      warnings({ HOST: hostname(), PUBLIC_URL: 'https://a.test' }),
      /^HOST is the name of this machine/,
    );
    for (const name of ['KUBERNETES_SERVICE_HOST', 'DYNO', 'K_SERVICE'])
      for (const [HOST, warning] of [
        [undefined, /^HOST is not set, so nothing outside/],
        ['127.0.0.1', /^$/],
        ['::1', /^$/],
      ] as const)
        assert.match(warnings({ [name]: 'set', HOST }), warning);
  });

  test('reads the logo, and says what is wrong with a file that is none', () => {
    const write = (name: string, content: string | Buffer): string => {
      const file = join(directory.path, name);
      writeFileSync(file, content);
      return file;
    };
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    const logos = [
      [
        'logo.svg',
        '<?xml version="1.0"?>\n<!-- ours -->\n<svg xmlns="http://www.w3.org/2000/svg"/>',
        'image/svg+xml',
      ],
      ['logo.png', png, 'image/png'],
      ['logo.jpg', Buffer.from('ffd8ffe0', 'hex'), 'image/jpeg'],
      ['logo.webp', 'RIFF\0\0\0\0WEBP', 'image/webp'],
      ['named.svg', png, 'image/png'],
    ] as const;
    for (const [name, content, type] of logos) {
      const { logo } = read({ BRAND_LOGO: write(name, content) }).brand;
      assert.deepEqual(logo, { type, body: Buffer.from(content) }, name);
    }
    const end =
      'it must be the path of a readable SVG, PNG, JPEG or WebP file of at most 64 KiB, for example /etc/rollcall/logo.svg';
    const gif = write('logo.gif', 'GIF89a');
    const large = write('large.png', Buffer.concat([png, Buffer.alloc(64 * 1024)]));
    const page = write('page.svg', '<html><svg></svg></html>');
    const wrong = [
      [gif, `${gif} is not an SVG, PNG, JPEG or WebP image`],
      [page, `${page} is not an SVG, PNG, JPEG or WebP image`],
      [large, `${large} has 65544 bytes`],
      [directory.path, `${directory.path} is not a file`],
      ['/nowhere/logo.svg', '/nowhere/logo.svg cannot be read (ENOENT)'],
    ] as const;
    for (const [file, reason] of wrong)
      assert.deepEqual(
        problemsOf(() => read({ BRAND_LOGO: file })),
        [`BRAND_LOGO: ${reason}; ${end}`],
      );
  });

  test('creates the directory of the database, but not the directories above it', () => {
    const deep = join(directory.path, 'not', 'there', 'rollcall.db');
    assert.deepEqual(
      problemsOf(() => read({ DATABASE_URL: `sqlite:${deep}` })),
      [
        `DATABASE_URL: the directory ${join(directory.path, 'not', 'there')} does not exist; create it, or choose another path`,
      ],
    );
    read({ DATABASE_URL: `sqlite:${join(directory.path, 'data', 'rollcall.db')}` });
    assert.ok(statSync(join(directory.path, 'data')).isDirectory());
  });
});

describe('A start with an invalid configuration', () => {
  directory.forEachTest();

  const allInvalid: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      settingNames.map((name) => [variableOf(name), settingOf(name).isSecret ? 'hidden' : '?']),
    ),
    DATABASE_URL: 'mysql://me:hidden@db.example/rollcall',
    READ_DATABASE_URL: 'mysql://me:hidden@db.example/rollcall',
  };

  for (const command of [
    ...[['serve'], ['migrate'], ['prune'], ['organization', 'list'], ['deliveries', 'list']],
    ['sample', '--meetings', '1'],
  ]) {
    test(`rollcall ${command.join(' ')} reports all errors together, one per line, and starts nothing`, async () => {
      const { code, stdout, stderr } = await run(command, { cwd: directory.path, env: allInvalid });
      assert.equal(code, 2);
      assert.equal(stdout, '');
      const named = linesOf(stderr).map((line) => line.slice(0, line.indexOf(':')));
      const sampled = ['SERVICE_NAME', 'THIRD_PARTY_LOCATION'];
      assert.deepEqual(named, command[0] === 'sample' ? sampled : settingNames.map(variableOf));
      assert.ok(!stderr.includes('hidden'));
      assert.ok(!existsSync(join(directory.path, 'data')));
    });
  }
});
