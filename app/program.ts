import { Argument, Command, Option } from 'commander';
import { collectIds, moment, numberUpTo, positiveInteger, wholeNumber } from './cli/arguments.js';
import { version } from './version.js';

/**
 * Every command with its options, its help and its examples. What a command needs is loaded when it runs, so
 * that help comes at once.
 */
export function createProgram(): Command {
  const program = new Command('rollcall')
    .description(
      'The integration interface of organizations: members, meetings, invitations and signed webhooks.',
    )
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showSuggestionAfterError(true)
    .showHelpAfterError('Run it with --help to see what is allowed.')
    .addHelpText(
      'after',
      examples(
        'npx rollcall demo',
        'npx rollcall serve',
        'npx rollcall organization create --name "Northwind Wellness"',
      ),
    )
    .addHelpText(
      'after',
      `
Exit codes:
  0   done
  1   refused or failed
  2   the command line or the configuration is wrong
  75  the database is away, busy or full: try again`,
    )
    .exitOverride();

  addServing(program);
  addData(program);
  addDeliveries(program);
  addOrganization(program);
  addPeople(program);
  addCompletion(program);
  return program;
}

function addServing(program: Command): void {
  command(program, 'serve', 'run the HTTP server and the webhook sender')
    .option('--no-migrate', 'refuse to start when migrations are pending, instead of applying them')
    .option('--json', 'write the log as JSON lines also on a terminal')
    .addHelpText(
      'after',
      examples(
        'rollcall serve',
        'PORT=8080 PUBLIC_URL=https://rollcall.example.com rollcall serve --no-migrate',
      ),
    )
    .action(async (options) => (await import('./cli/serve.js')).serveCommand(options));

  command(
    program,
    'demo',
    'serve sample data from a file of its own, with a webhook receiver, on this machine only',
  )
    .option('--fresh', 'forget first what an earlier demo left: data, changes and keys')
    .option('--json', 'print one JSON line instead of the list')
    .addHelpText(
      'after',
      `
A start finds everything as the one before left it, a replaced access key too; --fresh begins anew, and so does
removing data/demo.db*. Other commands work on the demo's data with DATABASE_URL=sqlite:data/demo.db.
${examples('rollcall demo', 'PORT=4000 rollcall demo', 'rollcall demo --fresh')}`,
    )
    .action(async (options) => (await import('./cli/demo.js')).demoCommand(options));
}

function addData(program: Command): void {
  command(program, 'migrate', 'bring the schema of the database up to date')
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall migrate'))
    .action(async (options) => (await import('./cli/migrate.js')).migrateCommand(options));

  command(program, 'import', 'load a dataset, all of it or nothing')
    .argument('<file>', 'NDJSON, plain or gzip; - reads standard input')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
An error names its line and keeps nothing of the file. A running server goes on meanwhile: it reads at all
times, and can write until the end, when everything is applied at once. For a million records that can take half a
minute on SQLite; what the server has to write then waits, and is answered 503 when it has waited for 5 s. On
PostgreSQL only those wait who write the same rows.
${examples('rollcall import members.ndjson', 'zcat old.ndjson.gz | rollcall import -')}`,
    )
    .action(async (file, options) => (await import('./cli/import.js')).importCommand({ file, ...options }));

  command(program, 'copy', 'copy everything from one database to an empty other')
    .requiredOption(
      '--from <url>',
      'where it is: sqlite:<path>, postgres://…, env:<name> of a variable, or -',
    )
    .requiredOption('--to <url>', 'where it goes, said alike; it gets its schema, and must be empty')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Keys, passwords, sessions, links and webhooks go along, and the copy sends what waits to be sent: if the source is
served again, it holds what waits in it. It needs the SECRET_KEY that the data was made with, and so does whoever serves the copy. Stop "rollcall
serve" first, and start it on the copy when this is done: what is written meanwhile is not copied. It copies all
or nothing, and compares the numbers of rows at the end.

Everyone on the machine can read the arguments of a command, so an address with a password is refused as one:
name the variable that holds it, as env:DATABASE_URL, or give - and write the address to standard input.
${examples(
  'rollcall copy --from sqlite:data/rollcall.db --to env:DATABASE_URL',
  'rollcall copy --from sqlite:data/rollcall.db --to - < address.txt',
  'rollcall copy --from postgres://rollcall@db.example.com/rollcall --to sqlite:data/rollcall.db --json',
)}`,
    )
    .action(async (options) => (await import('./cli/copy.js')).copyCommand(options));

  command(program, 'keys', 'list which SECRET_KEY each stored secret needs')
    .option('--reseal', 'seal webhook secrets of previous keys again, with the current key')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
A key is named by eight digits that tell nothing about it. Access keys move to the current key when they are used,
sessions and tokens run out; a previous key that nothing needs any more can be left out of SECRET_KEY_PREVIOUS.
${examples('rollcall keys', 'rollcall keys --reseal', 'rollcall keys --json')}`,
    )
    .action(async (options) => (await import('./cli/keys.js')).keysCommand(options));

  command(program, 'prune', 'delete old sessions, used login links and deliveries past their retention')
    .option('--dry-run', 'count only')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Deliveries that ended more than DELIVERY_RETENTION_DAYS ago are deleted with their attempts. A running server
does the same once an hour, and goes on meanwhile.
${examples('rollcall prune --dry-run', 'DELIVERY_RETENTION_DAYS=7 rollcall prune')}`,
    )
    .action(async (options) => (await import('./cli/prune.js')).pruneCommand(options));

  command(program, 'sample', 'write a dataset of a chosen size to standard output, for trials and benchmarks')
    .addOption(
      new Option('--meetings <number>', 'how many meetings').argParser(positiveInteger).makeOptionMandatory(),
    )
    .addOption(new Option('--members <number>', 'how many members').argParser(positiveInteger).default(200))
    .addOption(
      new Option('--organizations <number>', 'how many organizations').argParser(positiveInteger).default(3),
    )
    .addOption(
      new Option('--registrations <number>', 'how many registrations (default: 5 a meeting)').argParser(
        wholeNumber,
      ),
    )
    .addOption(
      new Option('--seed <number>', 'the same seed gives the same data').argParser(wholeNumber).default(1),
    )
    .addOption(
      new Option('--now <time>', 'what the dates lie around (default: the last midnight, UTC)').argParser(
        moment,
      ),
    )
    .option('--json', 'changes nothing: a dataset is JSON already, a record a line')
    .addHelpText(
      'after',
      examples(
        'rollcall sample --meetings 10 > sample.ndjson',
        'rollcall sample --meetings 200000 --registrations 1000000 | rollcall import -',
        'rollcall access-key generate --organization 1    # the data has none',
      ),
    )
    .action(async (options) => (await import('./cli/sample.js')).sampleCommand(options));
}

function addDeliveries(program: Command): void {
  const deliveries = command(program, 'deliveries', 'the log of webhooks, and sending them again');
  command(deliveries, 'list', 'list events on their way to the webhooks, the newest first')
    .addOption(organizationOption().makeOptionMandatory(false))
    .addOption(
      new Option('--state <state>', 'only those in this state').choices([
        'pending',
        'sending',
        ...restingStates,
      ]),
    )
    .addOption(
      new Option('--since <time>', 'only later ones: 2026-11-20T18:00:00Z, or 24h').argParser(moment),
    )
    .addOption(
      new Option('--limit <number>', 'how many, at most 1000').argParser(numberUpTo(1000)).default(20),
    )
    .option('--body', 'show what was sent as well; it holds names and addresses of people')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall deliveries list --state failed --since 24h',
        'rollcall deliveries list --json --limit 1',
      ),
    )
    .action(async (options) => (await import('./cli/deliveries.js')).listDeliveriesCommand(options));
  command(deliveries, 'redeliver', 'send events once more: same bytes, same event id, current URL and secret')
    .argument('[id...]', 'the numbers of deliveries', collectIds)
    .addOption(
      new Option('--state <state...>', 'all in these states, with --since; tests excepted').choices(
        restingStates,
      ),
    )
    .option('--failed', 'the same as --state failed')
    .addOption(
      new Option('--since <time>', 'later ones only: 2026-11-20T18:00:00Z, or 24h').argParser(moment),
    )
    .addOption(new Option('--until <time>', 'only those before it').argParser(moment))
    .addOption(
      new Option('--phase <phase>', 'only those whose last attempt ended there').choices([
        'address',
        'lookup',
        'connect',
        'tls',
        'request',
        'answer',
      ]),
    )
    .addOption(
      new Option('--status <status>', 'only those that were last answered this').argParser(numberUpTo(999)),
    )
    .option('--reason <text>', "only those with this text in the last attempt's reason, or `interrupted`")
    .addOption(organizationOption().makeOptionMandatory(false))
    .option('--dry-run', 'count only')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall deliveries redeliver 17 18',
        'rollcall deliveries redeliver --state failed --since 24h --status 503 --dry-run',
        'rollcall deliveries redeliver --state failed --since 24h --reason interrupted',
      ),
    )
    .action(async (ids, options) =>
      (await import('./cli/deliveries.js')).redeliverCommand({ ids, ...options }),
    );
  addHold(deliveries);
}

function addHold(deliveries: Command): void {
  command(deliveries, 'release', 'send or drop what is held since a restore')
    .option('--send', 'send it: same bytes, same event id, current URL and secret')
    .option('--drop', 'do not send it; it stays in the log as skipped')
    .addOption(
      new Option('--since <time>', 'later ones only: 2026-11-20T18:00:00Z, or 24h').argParser(moment),
    )
    .addOption(new Option('--until <time>', 'only those before it').argParser(moment))
    .addOption(organizationOption().makeOptionMandatory(false))
    .option('--dry-run', 'count only')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall deliveries list --state held',
        'rollcall deliveries release --send --since 2026-11-20T18:00:00Z',
        'rollcall deliveries release --drop --organization 1',
      ),
    )
    .action(async (options) => (await import('./cli/deliveries.js')).releaseCommand(options));
  command(deliveries, 'hold', 'hold what waits or is under way, for when nobody knows what was sent')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Before the first start on a database that was restored as it was at an earlier time, with all files (a snapshot of a
disk, a base backup): serve can tell other restored databases from their originals, but not those. Nothing may
serve the database meanwhile.
${examples('rollcall deliveries hold')}`,
    )
    .action(async (options) => (await import('./cli/deliveries.js')).holdCommand(options));
}

function addOrganization(program: Command): void {
  const organization = command(program, 'organization', 'create and list organizations');
  command(organization, 'create', 'add an organization, which has no access key yet')
    .requiredOption('--name <name>', 'its name')
    .option('--eap', 'it runs an Employee Assistance Program', false)
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall organization create --name "Northwind Wellness" --eap'))
    .action(async (options) => (await import('./cli/organization.js')).createOrganizationCommand(options));
  command(organization, 'list', 'list all organizations')
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall organization list', 'rollcall organization list --json'))
    .action(async (options) => (await import('./cli/organization.js')).listOrganizationsCommand(options));
  command(organization, 'activity', 'list who did what in an organization, the newest first')
    .addOption(organizationOption())
    .addOption(pageOption())
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall organization activity --organization 1'))
    .action(async (options) => (await import('./cli/activity.js')).listActivityCommand(options));

  const accessKey = command(program, 'access-key', 'generate access keys');
  command(
    accessKey,
    'generate',
    'give an organization a new access key; the old one and its tokens die at once',
  )
    .addOption(organizationOption())
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall access-key generate --organization 1'))
    .action(async (options) => (await import('./cli/access-key.js')).generateAccessKeyCommand(options));
}

function addPeople(program: Command): void {
  const user = command(program, 'user', 'create users, set passwords, and keep accounts apart');
  command(user, 'create', 'add a user, who can sign in once a password is set')
    .requiredOption('--email <address>', 'the e-mail address')
    .requiredOption('--first-name <name>', 'the first name')
    .requiredOption('--last-name <name>', 'the last name')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('rollcall user create --email dana@example.com --first-name Dana --last-name Kim'),
    )
    .action(async (options) => (await import('./cli/user.js')).createUserCommand(options));
  command(
    user,
    'set-password',
    'set a password, read from a prompt or from standard input, and end all sessions',
  )
    .requiredOption('--email <address>', 'the e-mail address')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall user set-password --email dana@example.com',
        'rollcall user set-password --email dana@example.com < password.txt',
      ),
    )
    .action(async (options) => (await import('./cli/user.js')).setPasswordCommand(options));
  addIdentity(user);

  const member = command(program, 'member', 'the people of organizations, and what they may do');
  command(member, 'add', 'make a user a member, without an event')
    .addOption(organizationOption())
    .requiredOption('--email <address>', "the user's e-mail address")
    .addOption(roleOption())
    .option('--idp-id <id>', "the id at the organization's identity provider")
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('rollcall member add --organization 1 --email dana@example.com --role owner'),
    )
    .action(async (options) => (await import('./cli/member.js')).addMemberCommand(options));
  command(member, 'list', 'list the members of an organization, the owners first')
    .addOption(organizationOption())
    .addOption(pageOption())
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall member list --organization 1'))
    .action(async (options) => (await import('./cli/member.js')).listMembersCommand(options));
  command(member, 'change-role', 'give a member another role; the last owner stays owner')
    .addOption(organizationOption())
    .requiredOption('--email <address>', "the member's e-mail address")
    .addOption(roleOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('rollcall member change-role --organization 1 --email dana@example.com --role admin'),
    )
    .action(async (options) => (await import('./cli/member.js')).changeRoleCommand(options));
  command(member, 'remove', 'end a membership; the last owner stays')
    .addOption(organizationOption())
    .requiredOption('--email <address>', "the member's e-mail address")
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall member remove --organization 1 --email dana@example.com'))
    .action(async (options) => (await import('./cli/member.js')).removeMemberCommand(options));
}

function addIdentity(user: Command): void {
  command(user, 'set-email', 'give a user another address to sign in with, and end all sessions')
    .option('--email <address>', 'the current e-mail address')
    .addOption(
      new Option('--user <number>', 'the number of the user, in the place of an address that cannot be typed')
        .argParser(positiveInteger)
        .conflicts('email'),
    )
    .requiredOption('--to <address>', 'the new e-mail address')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall user set-email --email dana@example.com --to dana.kim@example.com',
        'rollcall user set-email --user 101 --to dana.kim@example.com',
      ),
    )
    .action(async (options) => (await import('./cli/user.js')).setEmailCommand(options));
  command(user, 'detach', 'say that an account was made here: its number is free for the platform’s user')
    .requiredOption('--email <address>', 'the e-mail address')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
For an import that is refused because the platform gives the account's number to somebody else. The account, its
memberships and its password stay as they are; the platform's user gets another number here.
${examples('rollcall user detach --email dana@example.com')}`,
    )
    .action(async (options) => (await import('./cli/user.js')).detachCommand(options));
  command(user, 'collisions', 'list accounts that stand for two people, or may be taken for another one')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Lists accounts that an import of an earlier release has given to somebody else, addresses that look the same, and
numbers that accounts made here share with the platform.
${examples('rollcall user collisions', 'rollcall user collisions --json')}`,
    )
    .action(async (options) => (await import('./cli/collisions.js')).collisionsCommand(options));
}

function addCompletion(program: Command): void {
  command(program, 'completion', 'print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall completion bash > ~/.local/share/bash-completion/completions/rollcall',
        `rollcall completion zsh > "\${fpath[1]}/_rollcall"`,
        'rollcall completion fish > ~/.config/fish/completions/rollcall.fish',
        'source <(rollcall completion bash)    # this shell alone',
      ),
    )
    .action(async (shell, options) =>
      (await import('./cli/completion.js')).completionCommand({ shell, program, ...options }),
    );
}

const restingStates = ['delivered', 'failed', 'skipped', 'held'] as const;

/** Inherits from its parent how errors are shown. */
function command(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description);
}

function jsonOption(): Option {
  return new Option('--json', 'print one JSON document');
}

function organizationOption(): Option {
  return new Option('--organization <id>', "the organization's number")
    .argParser(positiveInteger)
    .makeOptionMandatory();
}

function roleOption(): Option {
  return new Option('--role <role>', 'what the member may do')
    .choices(['owner', 'admin', 'member'])
    .makeOptionMandatory();
}

function pageOption(): Option {
  return new Option('--page <number>', 'which page, of 50 each').argParser(positiveInteger).default(1);
}

function examples(...lines: readonly string[]): string {
  const title = lines.length === 1 ? 'Example' : 'Examples';
  return `\n${title}:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
