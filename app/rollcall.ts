#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { endQuietlyWithReader, say } from './terminal.js';

/** The command line. What a command needs is loaded when it runs, so that help comes at once. */

/** 0: done; 1: refused or failed; 2: the configuration or the command line is wrong. */
const exitCodes = { failed: 1, usage: 2 } as const;

function createProgram(): Command {
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
    .exitOverride();

  addServing(program);
  addData(program);
  addOrganization(program);
  addPeople(program);
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
    .option('--json', 'print one JSON line instead of the list')
    .addHelpText('after', examples('rollcall demo', 'PORT=4000 rollcall demo'))
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
      examples('rollcall import members.ndjson', 'zcat old.ndjson.gz | rollcall import -'),
    )
    .action(async (file, options) => (await import('./cli/import.js')).importCommand({ file, ...options }));
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
  const user = command(program, 'user', 'create users and set passwords');
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

  const member = command(program, 'member', 'add members to organizations');
  command(member, 'add', 'make a user a member, without an event')
    .addOption(organizationOption())
    .requiredOption('--email <address>', "the user's e-mail address")
    .addOption(
      new Option('--role <role>', 'what the member may do')
        .choices(['owner', 'admin', 'member'])
        .makeOptionMandatory(),
    )
    .option('--idp-id <id>', "the id at the organization's identity provider")
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('rollcall member add --organization 1 --email dana@example.com --role owner'),
    )
    .action(async (options) => (await import('./cli/member.js')).addMemberCommand(options));
}

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

function positiveInteger(text: string): number {
  const number = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError('It must be a whole number such as 1.');
  }
  return number;
}

function examples(...lines: readonly string[]): string {
  const title = lines.length === 1 ? 'Example' : 'Examples';
  return `\n${title}:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

async function main(): Promise<void> {
  endQuietlyWithReader();
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = await exitCodeOf(error);
  }
}

async function exitCodeOf(error: unknown): Promise<number> {
  // Commander has printed its own.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  const { ConfigurationError, messagesOf } = await import('./failure.js');
  for (const line of messagesOf(error)) say(line);
  return error instanceof ConfigurationError ? exitCodes.usage : exitCodes.failed;
}

await main();
