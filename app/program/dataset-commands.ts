import { type Command, Option } from 'commander';
import { timestamp, wholeNumber } from '../cli/arguments.js';
import { UsageError } from '../usage-error.js';
import { command, numberOption, requiredOption } from './options.js';

export function addDataCommands(program: Command): void {
  command(program, 'migrate', 'bring the database schema up to date', {
    examples: ['rollcall migrate'],
  }).action(async (options) => (await import('../cli/migrate.js')).migrateCommand(options));

  command(program, 'import', 'load a dataset: all of it, or nothing', {
    options: [
      new Option('--follow', 'keep reading, and import lines as they are written'),
      new Option('--rejected <file>', 'with --follow: keep wrong lines there and go on, instead of stopping'),
    ],
    details: `
Errors name the line and the field, and nothing of the file is kept. A server
can keep running during an import. Reads are never blocked. Writes are blocked
only at the end, while all records are applied at once: on SQLite up to half a
minute for a million records. A write that waits more than 5 s is answered 503.
On PostgreSQL, only writes to the same rows wait.

A new membership with "registered": true makes an event, once.

With --follow, lines are imported as they come: those of a second, or 5,000, are
stored together. The place in the file is stored with them, so the next run
continues after them. A record must not come before those that it refers to,
unless both come within the same second. A wrong line ends the command, after
all lines before it are stored; with --rejected, it is kept in that file. The
command waits while the database is unavailable, and continues with the new file
when FILE is rotated. SIGTERM, or the end of standard input, ends it.
`,
    examples: [
      'rollcall import members.ndjson',
      'zcat old.ndjson.gz | rollcall import -',
      'rollcall import --follow /var/lib/platform/changes.ndjson --rejected wrong.ndjson',
    ],
  })
    .argument('<file>', 'an NDJSON file, plain or gzip; - reads standard input')
    .action(async (file, { follow, rejected, ...options }) => {
      if (follow === true)
        return (await import('../cli/import-follow.js')).followCommand({ file, rejected, ...options });
      if (rejected !== undefined) throw new UsageError('--rejected needs --follow.');
      return (await import('../cli/import.js')).importCommand({ file, ...options });
    });

  command(program, 'copy', 'copy everything from one database to another, which must be empty', {
    options: [
      requiredOption('--from <url>', 'the source: sqlite:<path>, postgres://…, env:<variable>, or -'),
      requiredOption('--to <url>', 'the target, in the same forms; the command creates its schema'),
    ],
    details: `
Stop "rollcall serve" first, and start it on the copy afterwards: changes made
during the copy are not copied. It copies everything or nothing, and compares
the row counts at the end. Keys, passwords, sessions, links and webhooks are
included. Pending webhooks are sent from the copy; if the source is served
again, it holds them.

The copy needs the SECRET_KEY of the source, both for this command and to be
served.

Other users of this machine can read the arguments of a command, so URLs with a
password are refused there. Name the variable that holds the URL
(env:DATABASE_URL), or use - and write the URL to standard input.
`,
    examples: [
      'rollcall copy --from sqlite:data/rollcall.db --to env:DATABASE_URL',
      'rollcall copy --from sqlite:data/rollcall.db --to - < address.txt',
      'rollcall copy --from postgres://rollcall@db.example.com/rollcall --to sqlite:data/rollcall.db --json',
    ],
  }).action(async (options) => (await import('../cli/copy.js')).copyCommand(options));

  command(program, 'keys', 'list which SECRET_KEY each stored secret needs', {
    options: [
      new Option('--reseal', 'encrypt the webhook secrets of previous keys again, with the current key'),
    ],
    details: `
Keys are listed by an 8-digit id that reveals nothing about the key. Access keys
move to the current key when they are used; sessions and tokens expire. When
nothing needs a previous key any more, remove it from SECRET_KEY_PREVIOUS.
`,
    examples: ['rollcall keys', 'rollcall keys --reseal', 'rollcall keys --json'],
  }).action(async (options) => (await import('../cli/keys.js')).keysCommand(options));

  command(program, 'prune', 'delete what is older than it has to be kept', {
    options: [
      new Option('--dry-run', 'only count what would be deleted'),
      new Option('--compact', 'remove what deleted rows have left in the files of the database'),
    ],
    details: `
Deletes deliveries, with their attempts, that ended more than
DELIVERY_RETENTION_DAYS ago, and events that are older than
EVENT_RETENTION_DAYS; audit entries, and invitations that were accepted or
revoked, after a year; deletions of meetings after 30 days; and sessions, links,
mails and stored answers that have expired. A running server does the same once
an hour.

With --compact, SQLite then writes its file again, and other writers wait
meanwhile; PostgreSQL vacuums the tables that hold personal data.
`,
    examples: ['rollcall prune --dry-run', 'DELIVERY_RETENTION_DAYS=7 rollcall prune'],
  }).action(async (options) => (await import('../cli/prune.js')).pruneCommand(options));

  command(program, 'sample', 'write a sample dataset to standard output, for trials and benchmarks', {
    options: [
      numberOption('--meetings <number>', 'number of meetings').makeOptionMandatory(),
      numberOption('--members <number>', 'number of members').default(200),
      numberOption('--organizations <number>', 'number of organizations').default(3),
      numberOption('--registrations <number>', 'number of registrations (default: 5 a meeting)', wholeNumber),
      numberOption(
        '--seed <number>',
        'seed of the random data: the same seed gives the same data',
        wholeNumber,
      ).default(1),
      new Option(
        '--now <time>',
        'time around which the dates lie (default: the last midnight, UTC)',
      ).argParser(timestamp),
    ],
    json: 'no effect: a dataset is always JSON, one record a line',
    examples: [
      'rollcall sample --meetings 10 > sample.ndjson',
      'rollcall sample --meetings 200000 --registrations 1000000 | rollcall import -',
      'rollcall access-key generate --organization 1    # sample data has no access keys',
    ],
  }).action(async (options) => (await import('../cli/sample.js')).sampleCommand(options));
}
