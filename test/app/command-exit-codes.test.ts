import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { run } from '../support/app-cli.js';
import { commands } from '../support/command-names.js';
import { folderForAll } from '../support/folders.js';
import { SqliteDatabase } from '../support/sqlite.js';

describe('Exit codes', () => {
  const cwd = folderForAll();

  /** 0: done, 1: refused or failed, 2: the command line is wrong. */
  const table: readonly (readonly [args: readonly string[], code: number, stderr: RegExp])[] = [
    [['--help'], 0, /^$/],
    [['help', 'import'], 0, /^$/],
    [[], 2, /Usage: rollcall/],
    [['srve'], 2, /^error: unknown command 'srve'\n\(Did you mean serve\?\)/],
    [['--jsn'], 2, /^error: unknown option '--jsn'/],

    [['serve', '--no-migrat'], 2, /\(Did you mean --no-migrate\?\)/],
    [['serve', '--no-migrate'], 1, /^Migrations are pending: /m],
    [['demo', '--jso'], 2, /\(Did you mean --json\?\)/],

    [['migrate'], 0, /is up to date|Migrations applied/],
    [['migrate', 'now'], 2, /too many arguments/],

    [['import'], 2, /^error: missing required argument 'file'/],
    [['import', 'nowhere.ndjson'], 1, /^nowhere\.ndjson: the file does not exist\.\n$/],
    [['import', '-'], 0, /^Imported: there was nothing to store or to remove\.\n0 records in [\d.]+ s\.\n$/],

    [
      ['copy', '--from', 'sqlite:data/rollcall.db', '--to', 'sqlite:copy.db'],
      0,
      /Copied\. The row counts of both databases are equal:\n/,
    ],
    [
      ['copy', '--from', 'sqlite:none.db', '--to', 'sqlite:copy.db'],
      2,
      /^--from: database sqlite:none\.db does not exist\n$/,
    ],
    [['copy', '--to', 'sqlite:copy.db'], 2, /required option '--from <url>' not specified/],
    [['keys'], 0, /^$/],
    [['keys', '--resael'], 2, /\(Did you mean --reseal\?\)/],
    [['prune'], 0, /^Deleted:\n$/],
    [['prune', '--dry-run', '--json'], 0, /^$/],
    [['prune', '--dry-rn'], 2, /\(Did you mean --dry-run\?\)/],

    [['sample', '--meetings', '1'], 0, /^$/],
    [['sample'], 2, /required option '--meetings <number>' not specified/],
    [['sample', '--meetings', '0'], 2, /must be an integer of at least 1/],
    [['sample', '--meetings', '2', '--members', '3', '--registrations', '7'], 2, /must be at most 6/],
    [['sample', '--meetings', '2', '--now', '2026-02-30'], 2, /must be a valid date or time/],

    [['deliveries', 'list'], 0, /^No deliveries found\.\n$/],
    [['deliveries', 'list', '--json', '--state', 'failed', '--since', '24h', '--limit', '1000'], 0, /^$/],
    [['deliveries', 'list', '--organization', '99'], 1, /^There is no organization 99\n$/],
    [['deliveries', 'list', '--state', 'lost'], 2, /Allowed choices are pending, sending, delivered/],
    [['deliveries', 'list', '--limit', '1001'], 2, /must be at most 1000/],
    [['deliveries', 'list', '--since', 'yesterday'], 2, /must be a valid date or time/],
    [['deliveries', 'show', '1'], 1, /^There is no delivery 1\n/],
    [['deliveries', 'show'], 2, /^error: missing required argument/],
    [['deliveries', 'show', 'one'], 2, /must be an integer of at least 1/],
    [['deliveries', 'redeliver', '1'], 1, /^There is no delivery 1\nNo deliveries found/],
    [['deliveries', 'redeliver', '--failed', '--since', '1h'], 1, /^No deliveries found/],
    [['deliveries', 'redeliver'], 2, /^error: Name deliveries by id/],
    [['deliveries', 'redeliver', '1', '--failed', '--since', '1h'], 2, /^error: Name deliveries/],
    [['deliveries', 'redeliver', '--failed'], 2, /^error: --failed needs --since/],
    [['deliveries', 'redeliver', '--state', 'failed'], 2, /^error: --state needs --since/],
    [
      ['deliveries', 'redeliver', '--state', 'pending', '--since', '1h'],
      2,
      /Allowed choices are delivered, failed/,
    ],
    [
      ['deliveries', 'redeliver', '1', '--status', '503'],
      2,
      /^error: --since, --until, --phase, .* cannot be used with ids/,
    ],
    [['deliveries', 'redeliver', '1', '--since', '24h'], 2, /^error: --since, .* cannot be used with ids/],
    [['import', '--follow', '.'], 1, /^.* is a directory: --follow needs a regular file, or - for standard/m],
    [
      ['import', '--follow', 'same.ndjson', '--rejected', './same.ndjson'],
      2,
      /^error: --rejected must name another file than the one that is followed\.\n$/,
    ],
    [['deliveries', 'release'], 2, /^error: Choose one of --send, .* --drop/],
    [['deliveries', 'release', '--send', '--drop'], 2, /^error: Choose one/],
    [['deliveries', 'release', '--drop'], 0, /^Dropped events stay in the log/],
    [['deliveries', 'redeliver', 'one'], 2, /must be an integer of at least 1/],
    [['deliveries', 'hold'], 0, /^Held events wait/],
    [['deliveries', 'hold', 'all'], 2, /^error: too many arguments/],

    [['organization'], 2, /Usage: rollcall organization/],
    [['organization', 'lst'], 2, /\(Did you mean list\?\)/],
    [['organization', 'list'], 0, /^No organizations yet/],
    [['organization', 'list', '--jsno'], 2, /\(Did you mean --json\?\)/],
    [['organization', 'create'], 2, /^error: required option '--name <name>' not specified/],
    [['organization', 'create', '--name', '  '], 1, /^name must not be empty\n$/],
    [['organization', 'rename', '--organization', '1'], 2, /required option '--name <name>' not specified/],
    [
      ['organization', 'rename', '--organization', '99', '--name', 'Clinic'],
      1,
      /^There is no organization 99\n$/,
    ],
    [['organization', 'rename', '--organization', '1', '--name', 'A\u202eB'], 1, /^name must not contain /],
    [['organization', 'remove'], 2, /required option '--organization <id>' not specified/],
    [['organization', 'remove', '--organization', '1'], 2, /^error: Without a terminal, --yes is required\./],
    [['organization', 'remove', '--organization', '99', '--yes'], 1, /^There is no organization 99\n$/],
    [['organization', 'remove', '--organization', '99', '--dry-run'], 1, /^There is no organization 99\n$/],

    [['access-key', 'generate', '--organization', '01'], 2, /must be an integer of at least 1/],
    [
      ['access-key', 'generate', '--organization', '1', '--keep-old-hours', '169'],
      2,
      /--keep-old-hours <hours>' argument '169' is invalid\. It must be at most 168/,
    ],
    [
      ['access-key', 'generate', '--organization', '1', '--keep-old-hours', '1.5'],
      2,
      /must be an integer of at least 0/,
    ],
    [['access-key', 'generate', '--organization', '99'], 1, /^There is no organization 99\n$/],

    [['user', 'create', '--email', 'x'], 2, /required option '--first-name <name>' not specified/],
    [
      ['user', 'create', '--email', 'x', '--first-name', '', '--last-name', 'Y'],
      1,
      /^email must be .*\nfirst-name must not be empty\n$/,
    ],
    [
      ['user', 'set-password', '--email', 'nobody@example.test'],
      1,
      /^password must have at least 8 characters\n$/,
    ],
    [['keys', '--jsn'], 2, /\(Did you mean --json\?\)/],
    [
      ['user', 'data', '--email', ' '],
      2,
      /option '--email <address>' argument ' ' is invalid\. It must not be empty\./,
    ],
    [['user', 'data'], 2, /^error: --email or --uuid is required\./],
    [['user', 'data', '--email', 'no@one.test'], 1, /^email: there is no user no@one\.test\n$/],
    [['user', 'data', '--email', 'a@b.test', '--uuid', 'x'], 2, /cannot be used with option/],
    [['user', 'erase'], 2, /^error: --email or --uuid is required\./],
    [['user', 'erase', '--uuid', 'x', '--dry-run'], 1, /^Nobody has this UUID\n$/],
    [['user', 'erase', '--email', 'no@one.test', '--yes'], 1, /^email: there is no user no@one\.test\n$/],
    [['user', 'erase', '--email', 'no@one.test'], 2, /^error: Without a terminal, --yes is required\./],
    [
      ['user', 'set-email', '--email', 'no@one.test', '--to', 'a@b.test'],
      1,
      /^email: there is no user no@one\.test\n$/,
    ],
    [['user', 'set-email', '--user', '7', '--to', 'a@b.test'], 1, /^user: there is no user 7\n$/],
    [['user', 'set-email', '--email', 'no@one.test', '--to', 'a'], 1, /^to must be an email address such as/],
    [['user', 'set-email', '--to', 'a@b.test'], 2, /^error: --email or --user is required\./],
    [
      ['user', 'set-email', '--email', 'a@b.test', '--user', '7', '--to', 'c@b.test'],
      2,
      /cannot be used with option/,
    ],
    [
      ['user', 'set-name', '--email', 'no@one.test', '--first-name', 'A', '--last-name', 'B'],
      1,
      /^email: there is no user no@one\.test\n$/,
    ],
    [['user', 'set-name', '--email', 'no@one.test', '--first-name', 'A'], 2, /required option '--last-name/],
    [['user', 'end-sessions', '--all'], 0, /^Ended 0 sessions of all users\. They can sign in again\.\n$/],
    [['user', 'end-sessions', '--email', 'no@one.test'], 1, /^email: there is no user no@one\.test\n$/],
    [['user', 'end-sessions'], 2, /^error: --email or --all is required\./],
    [['user', 'end-sessions', '--email', 'a@b.test', '--all'], 2, /cannot be used with option/],
    [['user', 'set-password'], 2, /required option '--email <address>' not specified/],
    [
      ['member', 'remove', '--organization', '1', '--email', ''],
      2,
      /option '--email <address>' argument '' is invalid\. It must not be empty\./,
    ],
    [
      ['member', 'add', '--organization', '99', '--email', 'a@b.test', '--role', 'admin'],
      1,
      /^There is no organization 99\n$/,
    ],
    [
      ['member', 'add', '--organization', '1', '--email', 'a@b.test', '--role', 'boss'],
      2,
      /Allowed choices are owner, admin, member/,
    ],

    [['member', 'list'], 2, /required option '--organization <id>' not specified/],
    [['member', 'list', '--organization', '99'], 1, /^There is no organization 99\n$/],
    [['member', 'list', '--organization', '1', '--page', '0'], 2, /must be an integer of at least 1/],
    [
      ['member', 'set', '--organization', '1', '--email', 'a@b.test'],
      2,
      /^error: --idp-id or --no-idp-id is required\./,
    ],
    [
      ['member', 'set', '--organization', '99', '--email', 'a@b.test', '--no-idp-id'],
      1,
      /^There is no organization 99\n$/,
    ],
    [['member', 'change-role', '--organization', '1', '--email', 'a@b.test'], 2, /required option '--role/],
    [
      ['member', 'change-role', '--organization', '99', '--email', 'a@b.test', '--role', 'admin'],
      1,
      /^There is no organization 99\n$/,
    ],
    [['member', 'remove', '--organization', '99', '--email', 'x'], 1, /^There is no organization 99\n$/],
    [['member', 'remove', '--organization', '1'], 2, /required option '--email <address>'/],
    [['organization', 'activity', '--organization', '99'], 1, /^There is no organization 99\n$/],
    [['organization', 'activity'], 2, /required option '--organization <id>' not specified/],
    [['sign-on', 'off', '--organization', '99'], 1, /^There is no organization 99\n$/],
    [['sign-on', 'off'], 2, /required option '--organization <id>' not specified/],

    [['user', 'second-factor', 'remove', '--email', 'a@b.test'], 1, /there is no user a@b\.test/],
    [['user', 'second-factor', 'remove'], 2, /required option '--email <address>'/],

    [['completion', 'bash'], 0, /^$/],
    [['configuration'], 0, /^$/],
    [['configuration', 'PORT'], 2, /^error: too many arguments/],
    [['completion'], 2, /missing required argument 'shell'/],
    [['completion', 'tcsh'], 2, /Allowed choices are bash, zsh, fish/],
  ];

  before(async () => {
    await run(['migrate'], { cwd });
  });

  test('are tested for every command, for success and for errors', () => {
    const commandsWith = (code: number) =>
      commands.filter((name) =>
        table.some(([args, expected]) => expected === code && `${args.join(' ')} `.startsWith(`${name} `)),
      );
    assert.deepEqual(
      commands.filter((name) => !commandsWith(2).includes(name)),
      [],
      'every command has a row with an invalid command line',
    );
    const longRunning = ['serve', 'demo'];
    const testedInCommands = [
      'organization create',
      'organization activity',
      'organization rename',
      'organization remove',
      'sign-on off',
      'member list',
      'member set',
      'member change-role',
      'member remove',
      'access-key generate',
      'user create',
      'user set-password',
      'user second-factor remove',
      'member add',
    ];
    const needData = [
      ...testedInCommands,
      ...[
        'deliveries show',
        'deliveries redeliver',
        'user set-email',
        'user set-name',
        'user data',
        'user erase',
      ],
    ];
    assert.deepEqual(
      commands.filter((name) => ![...commandsWith(0), ...longRunning, ...needData].includes(name)),
      [],
      'every command has a row that succeeds',
    );
  });

  for (const [args, code, message] of table) {
    test(`rollcall ${args.join(' ')} exits with ${code}, without a stack trace`, async () => {
      const env = args[0] === 'serve' ? { DATABASE_URL: 'sqlite:never-migrated.db' } : {};
      const finished = await run(args, { cwd, env });
      assert.equal(finished.code, code, finished.stderr);
      assert.match(finished.stderr, message);
      assert.doesNotMatch(finished.stderr, /^\s+at /m);
      if (code !== 0 && args[0] !== 'serve') assert.equal(finished.stdout, '');
    });
  }

  test('a bug is reported in one line with a hint, and with a stack trace only at debug level', async () => {
    const env = { DATABASE_URL: 'sqlite:broken.db', SECRET_KEY: 'a secret key of more than 32 characters' };
    assert.equal((await run(['migrate'], { cwd, env })).code, 0);
    const broken = new SqliteDatabase(join(cwd, 'broken.db'));
    broken.exec('DROP TABLE deliveries');
    broken.close();
    const { code, stdout, stderr } = await run(['deliveries', 'list'], { cwd, env });
    assert.deepEqual(
      [code, stdout, stderr],
      [1, '', 'Unexpected error: no such table: deliveries (run again with LOG_LEVEL=debug for details)\n'],
    );
    const debugged = await run(['deliveries', 'list'], { cwd, env: { ...env, LOG_LEVEL: 'debug' } });
    assert.equal(debugged.code, 1);
    assert.match(debugged.stderr, /^\s+at /m);
  });
});
