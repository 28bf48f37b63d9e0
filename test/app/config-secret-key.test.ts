import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readCopyConfig } from '#app/config/copy-config.js';
import { settingNames, settingOf, variableOf } from '#app/config/settings.js';
import { run } from '../support/app-cli.js';
import { problemsOf, readIn } from '../support/config.js';
import { folderOfTest } from '../support/folders.js';

const directory = folderOfTest();
const read = readIn(directory);

describe('The key file next to the database', () => {
  directory.forEachTest();

  test('is created once, is private, and is read again at the next start', () => {
    const notices: string[] = [];
    const first = read({ SECRET_KEY: undefined }, notices).secretKey.reveal();
    const second = read({ SECRET_KEY: undefined }, notices).secretKey.reveal();
    const file = join(directory.path, 'rollcall.db.key');
    assert.equal(second, first);
    assert.ok(first.length >= 32);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(notices, [
      `Created a new secret key: ${file}. Back it up separately from the database: without it keys and secrets cannot be read.`,
    ]);
  });

  test('is made private, with a notice, if others could read it', () => {
    read({ SECRET_KEY: undefined });
    const file = join(directory.path, 'rollcall.db.key');
    chmodSync(file, 0o644);
    const notices: string[] = [];
    read({ SECRET_KEY: undefined }, notices);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(notices, [`Others could read the key file ${file}: its mode is 0600 now.`]);
  });

  test('is not created for an existing database, because a new key would make it unreadable', () => {
    writeFileSync(join(directory.path, 'rollcall.db'), 'something');
    const [problem = '', ...others] = problemsOf(() => read({ SECRET_KEY: undefined }));
    assert.deepEqual(others, []);
    assert.match(
      problem,
      /^SECRET_KEY: not set, and the key file .*rollcall\.db\.key of the existing database is missing/,
    );
    assert.ok(!existsSync(join(directory.path, 'rollcall.db.key')));
  });

  test('is refused if it is truncated', () => {
    writeFileSync(join(directory.path, 'rollcall.db.key'), 'short\n', { mode: 0o600 });
    assert.match(
      problemsOf(() => read({ SECRET_KEY: undefined }))[0] ?? '',
      /^SECRET_KEY: the key file .* fewer than 32/,
    );
  });

  test('is not created if SECRET_KEY is set or a variable is invalid', () => {
    read({});
    problemsOf(() => read({ SECRET_KEY: undefined, PORT: 'x' }));
    assert.ok(!existsSync(join(directory.path, 'rollcall.db.key')));
  });

  test('is created once if several processes start at the same time', async () => {
    const cwd = directory.path;
    const all = await Promise.all(Array.from({ length: 4 }, () => run(['migrate', '--json'], { cwd })));
    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0, 0, 0],
      all.map(({ stderr }) => stderr).join(''),
    );
    assert.equal(all.filter(({ stderr }) => stderr.includes('Created a new secret key')).length, 1);
    const applied = all.flatMap(({ stdout }) => JSON.parse(stdout).applied);
    assert.deepEqual(applied, [...new Set(applied)], 'each migration ran once');
    assert.ok(readFileSync(join(cwd, 'data', 'rollcall.db.key'), 'utf8').trim().length >= 32);
  });
});

describe('A secret in a file', () => {
  directory.forEachTest();

  const values = {
    DATABASE_URL: 'postgres://me:hidden@db.example/rollcall',
    READ_DATABASE_URL: 'postgres://me:hidden@replica.example/rollcall',
    SECRET_KEY: 'k'.repeat(40),
    SECRET_KEY_PREVIOUS: `${'p'.repeat(40)}, ${'q'.repeat(40)}`,
    SMTP_URL: 'smtp://mail.example',
    SENTRY_DSN: 'https://hidden@sentry.example/7',
    OPERATOR_TOKEN: 't'.repeat(40),
  };

  const write = (name: string, content: string | Buffer): string => {
    const file = join(directory.path, name);
    writeFileSync(file, content);
    return file;
  };
  /** How editors and shells write one line, also those of Windows. */
  const writings: readonly ((text: string) => string | Buffer)[] = [
    (text) => text,
    (text) => `${text}\n`,
    (text) => `${text}\r\n`,
    (text) => `\uFEFF${text}\r\n`,
    (text) => Buffer.from(`\uFEFF${text}\r\n`, 'utf16le'),
    (text) => Buffer.from(`\uFEFF${text}\r\n`, 'utf16le').swap16(),
  ];

  test('is read for every secret variable, however the line is written', () => {
    const secrets = settingNames.filter((name) => settingOf(name).isSecret);
    assert.deepEqual(secrets.map(variableOf).sort(), Object.keys(values).sort());
    for (const [index, writing] of writings.entries()) {
      const files = Object.entries(values).flatMap(([name, value]) => [
        [name, index % 2 === 0 ? undefined : ' '],
        [`${name}_FILE`, write(`${name}-${index}`, writing(value))],
      ]);
      const config = read({ MAIL_FROM: 'a@b.test', OPERATOR_PORT: '3100', ...Object.fromEntries(files) });
      assert.deepEqual(
        {
          DATABASE_URL: config.database.engine === 'postgres' && config.database.connection.reveal(),
          READ_DATABASE_URL: config.replica?.connection.reveal(),
          SECRET_KEY: config.secretKey.reveal(),
          SECRET_KEY_PREVIOUS: config.previousSecretKeys.map((key) => key.reveal()).join(', '),
          SMTP_URL: config.mail?.smtpUrl.reveal(),
          SENTRY_DSN: config.sentryDsn?.reveal(),
          OPERATOR_TOKEN: config.operator?.token.reveal(),
        },
        values,
      );
    }
  });

  test('is refused, without a word of it, if it cannot be what is meant', () => {
    const folder = join(directory.path, 'folder');
    mkdirSync(folder);
    const [empty, long] = [write('empty', ' \n'), write('long', 'hidden'.repeat(12_000))];
    const [two, binary] = [
      write('two', `hidden${'x'.repeat(40)}\nhidden`),
      write('binary', `hidden\0${'x'.repeat(40)}`),
    ];
    const short = write('short', 'hidden');
    const wrong = [
      ['/nowhere/key', '/nowhere/key cannot be read (ENOENT)'],
      [folder, `${folder} is not a file`],
      ['/dev/zero', '/dev/zero is not a file'],
      [empty, `${empty} is empty`],
      [long, `${long} has 72000 bytes, more than a secret`],
      [two, `${two} has more than one line`],
      [binary, `${binary} is not a text file`],
      [short, 'a key of 6 characters is too short'],
    ] as const;
    for (const DATABASE_URL of [undefined, 'postgres://db.example/rollcall'])
      for (const [file, reason] of wrong) {
        const given = { SECRET_KEY: undefined, SECRET_KEY_FILE: file, ...(DATABASE_URL && { DATABASE_URL }) };
        const [problem = '', ...others] = problemsOf(() => read(given));
        assert.deepEqual(others, []);
        assert.ok(problem.startsWith(`SECRET_KEY_FILE: ${reason}; it must be `), problem);
        assert.ok(!problem.includes('hidden'));
      }
    for (const name of Object.keys(values)) {
      const [problem, ...others] = problemsOf(() =>
        read({
          MAIL_FROM: name === 'SMTP_URL' ? 'a@b.test' : undefined,
          [name]: 'hidden',
          [`${name}_FILE`]: two,
        }),
      );
      assert.deepEqual(others, []);
      assert.equal(
        problem,
        `${name}_FILE: ${name} is set as well; only one of them can be; it must be the path of a readable file with one line, for example /run/secrets/${name.toLowerCase()}`,
      );
    }
  });

  test('is used by "copy", for the keys and for env:<variable>', () => {
    const { DATABASE_URL, SECRET_KEY } = values;
    const [url, key] = [write('url', `${DATABASE_URL}\n`), write('key', `${SECRET_KEY}\n`)];
    const environment = { DATABASE_URL_FILE: url, SECRET_KEY_FILE: key };
    const urls = { from: 'sqlite:here.db', to: 'env:DATABASE_URL', input: null };
    const config = readCopyConfig(environment, urls);
    assert.equal(config.to.engine === 'postgres' && config.to.connection.reveal(), DATABASE_URL);
    assert.equal(config.secretKey?.reveal(), SECRET_KEY);
    for (const wrong of [{ DATABASE_URL_FILE: '/nowhere' }, { DATABASE_URL, DATABASE_URL_FILE: url }])
      assert.match(problemsOf(() => readCopyConfig(wrong, urls)).join('\n'), /^--to: /);
    assert.match(
      problemsOf(() => readCopyConfig({ DATABASE_URL, SECRET_KEY_FILE: '/nowhere' }, urls)).join('\n'),
      /^SECRET_KEY_FILE: \/nowhere cannot be read \(ENOENT\); it must be [^\n]+$/,
    );
  });
});
