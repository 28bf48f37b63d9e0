import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '#app/program.js';
import {
  linesOf,
  rollcall,
  run,
  shell,
  startOnTerminal,
  temporaryDirectory,
  terminals,
} from '../support/app-cli.js';
import { SqliteDatabase } from '../support/sqlite.js';

let directory: ReturnType<typeof temporaryDirectory>;
let cwd: string;
before(() => {
  directory = temporaryDirectory();
  cwd = directory.path;
});
after(() => directory.remove());

/** Every command that does something, by its name, and the groups that they are in. */
const { commands, groups } = namesIn(createProgram());

function namesIn(parent: Command, before = ''): { readonly commands: string[]; readonly groups: string[] } {
  const found = { commands: [] as string[], groups: [] as string[] };
  for (const command of parent.commands) {
    const name = `${before}${command.name()}`;
    const inside = namesIn(command, `${name} `);
    if (inside.commands.length === 0) found.commands.push(name);
    else found.groups.push(name);
    found.commands.push(...inside.commands);
    found.groups.push(...inside.groups);
  }
  return found;
}

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await run([...args, '--json'], { cwd });
  assert.equal(code, 0, stderr);
  assert.equal(linesOf(stdout).length, 1);
  return JSON.parse(stdout);
}

describe('Help', () => {
  test('is looked at for every command that there is', () => {
    assert.deepEqual(commands, [
      'serve',
      'demo',
      'migrate',
      'import',
      'copy',
      'keys',
      'prune',
      'sample',
      'deliveries list',
      'deliveries redeliver',
      'deliveries release',
      'deliveries hold',
      'organization create',
      'organization list',
      'organization activity',
      'access-key generate',
      'user create',
      'user set-password',
      'user set-email',
      'user detach',
      'user collisions',
      'member add',
      'member list',
      'member change-role',
      'member remove',
      'configuration',
      'completion',
    ]);
    assert.deepEqual(groups, ['deliveries', 'organization', 'access-key', 'user', 'member']);
  });

  test('names every command', async () => {
    const { code, stdout, stderr } = await run(['--help'], { cwd });
    assert.deepEqual([code, stderr], [0, '']);
    for (const command of commands) assert.match(stdout, new RegExp(`^  ${command.split(' ')[0]}\\b`, 'm'));
  });

  for (const command of commands) {
    test(`of ${command} has an example, and --json`, async () => {
      const { code, stdout, stderr } = await run([...command.split(' '), '--help'], { cwd });
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /Examples?:\n {2}\$ /);
      assert.ok(stdout.includes(`rollcall ${command}`));
      assert.match(stdout, /^ {2}--json /m);
    });
  }

  test('prints the version', async () => {
    const { code, stdout } = await run(['--version'], { cwd });
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });
});

describe('Exit codes', () => {
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
    [['deliveries', 'redeliver', '1'], 1, /^There is no delivery 1\nNo deliveries found/],
    [['deliveries', 'redeliver', '--failed', '--since', '1h'], 1, /^No deliveries found/],
    [['deliveries', 'redeliver'], 2, /^error: Name deliveries by id/],
    [['deliveries', 'redeliver', '1', '--failed', '--since', '1h'], 2, /^error: Name deliveries/],
    [['deliveries', 'redeliver', '--failed'], 2, /^error: --state and --failed need --since/],
    [
      ['deliveries', 'redeliver', '--state', 'pending', '--since', '1h'],
      2,
      /Allowed choices are delivered, failed/,
    ],
    [
      ['deliveries', 'redeliver', '1', '--status', '503'],
      2,
      /^error: --until, --phase, .* cannot be used with ids/,
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

    [['access-key', 'generate', '--organization', '01'], 2, /must be an integer of at least 1/],
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
    [['user', 'collisions'], 0, /^No collisions were found\.\n$/],
    [['user', 'collisions', '--jsn'], 2, /\(Did you mean --json\?\)/],
    [['user', 'detach', '--email', 'no@one.test'], 1, /^email: there is no user no@one\.test\n$/],
    [['user', 'detach'], 2, /required option '--email <address>' not specified/],
    [
      ['user', 'set-email', '--email', 'no@one.test', '--to', 'a@b.test'],
      1,
      /^email: there is no user no@one\.test\n$/,
    ],
    [['user', 'set-email', '--user', '7', '--to', 'a@b.test'], 1, /^user: there is no user 7\n$/],
    [
      ['user', 'set-email', '--email', 'no@one.test', '--to', 'a'],
      1,
      /^to must be an e-mail address such as/,
    ],
    [['user', 'set-email', '--to', 'a@b.test'], 2, /^error: --email or --user is required\./],
    [
      ['user', 'set-email', '--email', 'a@b.test', '--user', '7', '--to', 'c@b.test'],
      2,
      /cannot be used with option/,
    ],
    [['user', 'set-password'], 2, /required option '--email <address>' not specified/],
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

    [['completion', 'bash'], 0, /^$/],
    [['configuration'], 0, /^$/],
    [['configuration', 'PORT'], 2, /^error: too many arguments/],
    [['completion'], 2, /missing required argument 'shell'/],
    [['completion', 'tcsh'], 2, /Allowed choices are bash, zsh, fish/],
  ];

  before(async () => {
    await run(['migrate'], { cwd });
  });

  test('are looked at for every command, the good and the bad ones', () => {
    const tried = (code: number) =>
      commands.filter((name) =>
        table.some(([args, expected]) => expected === code && `${args.join(' ')} `.startsWith(`${name} `)),
      );
    assert.deepEqual(
      commands.filter((name) => !tried(2).includes(name)),
      [],
      'each with a mistake on its command line',
    );
    const lasting = ['serve', 'demo'];
    const shownBelow = [
      'organization create',
      'organization activity',
      'member list',
      'member change-role',
      'member remove',
      'access-key generate',
      'user create',
      'user set-password',
      'member add',
    ];
    const needsSomething = [...shownBelow, 'deliveries redeliver', 'user set-email', 'user detach'];
    assert.deepEqual(
      commands.filter((name) => ![...tried(0), ...lasting, ...needsSomething].includes(name)),
      [],
      'each done',
    );
  });

  for (const [args, code, message] of table) {
    test(`rollcall ${args.join(' ')} exits with ${code}, without a stack`, async () => {
      const env = args[0] === 'serve' ? { DATABASE_URL: 'sqlite:never-migrated.db' } : {};
      const finished = await run(args, { cwd, env });
      assert.equal(finished.code, code, finished.stderr);
      assert.match(finished.stderr, message);
      assert.doesNotMatch(finished.stderr, /^\s+at /m);
      if (code !== 0 && args[0] !== 'serve') assert.equal(finished.stdout, '');
    });
  }

  for (const args of [
    ['organization', 'list'],
    ['sample', '--meetings', '1'],
    ['prune'],
    ['deliveries', 'list'],
  ]) {
    test(`rollcall ${args.join(' ')} exits with 2 where the configuration is wrong`, async () => {
      const { code, stdout, stderr } = await run(args, { cwd, env: { SERVICE_NAME: '?' } });
      assert.deepEqual([code, stdout, linesOf(stderr).length], [2, '', 1], stderr);
      assert.match(stderr, /^SERVICE_NAME: "[^"]*" is not valid; it must be /);
    });
  }

  test('what should not have happened is one line with a hint, and its place only at debug level', async () => {
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

describe('The commands', () => {
  test('make an organization, its key, a user and a member, with one JSON document each', async () => {
    const organization = await json('organization', 'create', '--name', 'Øresund "Harbour" 希望', '--eap');
    assert.deepEqual(organization, {
      id: organization.id,
      name: 'Øresund "Harbour" 希望',
      eap: true,
      access_key: false,
    });

    const key = await json('access-key', 'generate', '--organization', String(organization.id));
    assert.deepEqual(Object.keys(key), ['organization_id', 'access_key']);
    assert.match(key.access_key, /^\d{24}$/);

    const { organizations } = await json('organization', 'list');
    assert.deepEqual(organizations.at(-1), { ...organization, access_key: true });

    const user = await json(
      'user',
      'create',
      '--email',
      'Dana@Example.test',
      '--first-name',
      'Dana',
      '--last-name',
      'Kim',
    );
    assert.deepEqual(user, {
      id: user.id,
      uuid: user.uuid,
      email: 'dana@example.test',
      first_name: 'Dana',
      last_name: 'Kim',
    });

    const member = await json(
      'member',
      'add',
      '--organization',
      String(organization.id),
      '--email',
      'dana@example.test',
      '--role',
      'owner',
      '--idp-id',
      'x-1',
    );
    assert.deepEqual(member, {
      organization_id: organization.id,
      uuid: user.uuid,
      email: 'dana@example.test',
      role: 'owner',
      idp_id: 'x-1',
    });

    const again = await run(
      [
        'member',
        'add',
        '--organization',
        String(organization.id),
        '--email',
        'dana@example.test',
        '--role',
        'member',
      ],
      { cwd },
    );
    assert.equal(again.code, 1);
    assert.match(again.stderr, /is a member of .* already/);
  });

  test('change people, and the audit trail says so', async () => {
    const { id } = await json('organization', 'create', '--name', 'People');
    const of = ['--organization', String(id)];
    for (const [name, role] of [
      ['olga', 'owner'],
      ['adam', 'member'],
    ] as const) {
      const email = `${name}@people.test`;
      await json('user', 'create', '--email', email, '--first-name', name, '--last-name', 'P');
      await json('member', 'add', ...of, '--email', email, '--role', role);
    }
    await json('access-key', 'generate', ...of);
    const last = await run(['member', 'remove', ...of, '--email', 'olga@people.test'], { cwd });
    assert.deepEqual([last.code, last.stdout], [1, '']);
    assert.match(last.stderr, /^This is the last owner/);
    const unknown = await run(['member', 'remove', ...of, '--email', 'eve@people.test'], { cwd });
    assert.deepEqual([unknown.code, unknown.stderr], [1, 'email: there is no user eve@people.test\n']);

    const adam = ['--email', 'Adam@People.test'];
    const changed = await json('member', 'change-role', ...of, ...adam, '--role', 'admin');
    assert.deepEqual(changed, { email: 'adam@people.test', role: 'admin' });
    const listed = await json('member', 'list', ...of);
    assert.deepEqual(
      listed.members.map((member: Readonly<Record<string, unknown>>) => [member.email, member.role]),
      [
        ['olga@people.test', 'owner'],
        ['adam@people.test', 'admin'],
      ],
    );
    const removed = await run(['member', 'remove', ...of, ...adam], { cwd });
    assert.deepEqual([removed.code, removed.stdout], [0, '']);
    assert.equal(removed.stderr, 'adam@people.test is no longer a member of People.\n');

    const { activity } = await json('organization', 'activity', ...of);
    assert.deepEqual(
      activity.map(({ who, action, subject }: Readonly<Record<string, unknown>>) => [who, action, subject]),
      [
        ['command-line', 'member-removed', 'adam@people.test'],
        ['command-line', 'role-changed', 'adam@people.test: admin'],
        ['command-line', 'access-key-generated', null],
        ['command-line', 'member-added', 'adam@people.test: member'],
        ['command-line', 'member-added', 'olga@people.test: owner'],
      ],
    );
    const shown = await run(['organization', 'activity', ...of], { cwd });
    assert.match(shown.stdout, /^Time +Who +From +Action +Subject\n.*command-line .*member-removed/s);
    const people = await run(['member', 'list', ...of], { cwd });
    assert.match(people.stdout, /^Email +Role +Password +UUID\nolga@people.test +owner +no +\S+\n$/);
  });

  test('print data to standard output and talk to standard error', async () => {
    const created = await run(['organization', 'create', '--name', 'Quiet'], { cwd });
    assert.match(created.stdout, /^\d+\n$/);
    assert.match(created.stderr, /Created organization Quiet/);
    const key = await run(['access-key', 'generate', '--organization', created.stdout.trim()], { cwd });
    assert.match(key.stdout, /^\d{24}\n$/);
    assert.match(key.stderr, /shown only once/);
    const listed = await run(['organization', 'list'], { cwd });
    assert.match(listed.stdout, /^ID +Name +EAP +Access key\n/);
    assert.equal(listed.stderr, '');
  });

  test('a table has colours where they are forced, and none with NO_COLOR', async () => {
    const plain = await run(['organization', 'list'], { cwd, env: { NO_COLOR: '1' } });
    const coloured = await run(['organization', 'list'], { cwd, env: { FORCE_COLOR: '1' } });
    assert.ok(!plain.stdout.includes('\u001b['));
    assert.ok(coloured.stdout.includes('\u001b['));
  });

  test('a password comes from standard input, and the command says what it did', async () => {
    await run(['user', 'create', '--email', 'pass@example.test', '--first-name', 'P', '--last-name', 'W'], {
      cwd,
    });
    const set = (input: string) =>
      run(['user', 'set-password', '--email', 'pass@example.test', '--json'], { cwd, input });
    const good = await set('correct horse battery\n');
    assert.deepEqual([good.code, JSON.parse(good.stdout)], [0, { email: 'pass@example.test' }]);
    assert.ok(!good.stderr.includes('horse'));
    const short = await set('short\n');
    assert.deepEqual([short.code, short.stderr], [1, 'password must have at least 8 characters\n']);
    const twoLines = await set('first line\nsecond line\n');
    assert.deepEqual([twoLines.code, twoLines.stderr], [1, 'password: standard input must be one line.\n']);
    const unknown = await run(['user', 'set-password', '--email', 'nobody@example.test'], {
      cwd,
      input: 'long enough\n',
    });
    assert.deepEqual([unknown.code, unknown.stderr], [1, 'email: there is no user nobody@example.test\n']);
  });

  test('migrate says what it did, and that nothing is left to do', async () => {
    const env = { DATABASE_URL: 'sqlite:fresh.db' };
    const first = await run(['migrate', '--json'], { cwd, env });
    const second = await run(['migrate', '--json'], { cwd, env });
    assert.match(JSON.parse(first.stdout).applied[0], /^0001-/);
    assert.deepEqual(JSON.parse(second.stdout), { database: 'sqlite:fresh.db', applied: [] });
    const third = await run(['migrate'], { cwd, env });
    assert.deepEqual([third.stdout, third.stderr], ['', 'sqlite:fresh.db is up to date.\n']);
  });

  test('a new database gets its schema by whichever command comes first', async () => {
    const env = { DATABASE_URL: 'sqlite:first.db' };
    const { code, stdout } = await run(['organization', 'create', '--name', 'First', '--json'], { cwd, env });
    assert.deepEqual([code, JSON.parse(stdout).id], [0, 1_000_000_000_001]);
  });

  test('whoever stops reading is no error', async () => {
    writeFileSync(
      join(cwd, 'many.ndjson'),
      Array.from(
        { length: 3000 },
        (_, index) =>
          `{"kind":"organization","id":${index + 100},"name":"Organization ${index} ${'x'.repeat(200)}"}\n`,
      ).join(''),
    );
    assert.equal((await run(['import', 'many.ndjson'], { cwd })).code, 0);
    const told = (args: string, reader: string) =>
      shell(`("${process.execPath}" "${rollcall}" ${args}; echo "exit $?" >&2) | ${reader}`, cwd);
    const piped = await told('organization list', 'head -n 1');
    assert.equal(piped.stderr, 'exit 0\n');
    assert.match(piped.stdout, /^ID +Name/);
    for (const args of [
      'organization list',
      'organization list --json',
      'sample --meetings 20000',
      '--help',
    ]) {
      const unread = await told(args, 'head -c 0');
      assert.deepEqual([unread.stdout, unread.stderr], ['', 'exit 0\n'], args);
    }
    const begun = await told('sample --meetings 20000', 'head -n 1');
    assert.deepEqual([linesOf(begun.stdout).length, begun.stderr], [1, 'exit 0\n']);
  });
});

for (const terminal of terminals) {
  describe(`On a terminal (${terminal})`, () => {
    test('a password is asked for twice and not shown', { timeout: 60_000 }, async (context) => {
      await run(['user', 'create', '--email', 'tty@example.test', '--first-name', 'T', '--last-name', 'Y'], {
        cwd,
      });
      const answer = async (first: string, second: string) => {
        const asked = startOnTerminal(['user', 'set-password', '--email', 'tty@example.test'], cwd, terminal);
        context.after(() => asked.stop('SIGKILL'));
        await asked.see(/New password: /);
        asked.child.stdin?.write(`${first}\r`);
        await asked.see(/Repeat password: /);
        asked.child.stdin?.write(`${second}\r`);
        return asked.ended;
      };
      const set = await answer('correct horse', 'correct horse');
      assert.equal(set.code, 0, set.stdout);
      assert.match(set.stdout, /Changed the password of tty@example\.test/);
      assert.ok(!set.stdout.includes('horse'));
      const differs = await answer('correct horse', 'correct house');
      assert.equal(differs.code, 1);
      assert.match(differs.stdout, /The passwords do not match\. Nothing was changed\./);
    });

    test('an import shows a bar', async () => {
      writeFileSync(join(cwd, 'one.ndjson'), '{"kind":"organization","id":50,"name":"Fifty"}\n');
      const { code, stdout } = await startOnTerminal(['import', 'one.ndjson'], cwd, terminal).ended;
      assert.equal(code, 0, stdout);
      assert.match(stdout, /░ 0%/);
      assert.match(stdout, /organization +1 stored/);
    });
  });
}
