import type { Command } from 'commander';
import { addCompletionCommand } from './program/completion.js';
import { addDataCommands } from './program/dataset-commands.js';
import { addDeliveryCommands } from './program/deliveries.js';
import { examples } from './program/options.js';
import { addOrganizationCommands } from './program/organizations.js';
import { addPeopleCommands } from './program/people.js';
import { addConfigurationCommand, addServeCommands } from './program/serving.js';
import { StrictCommand } from './program/strict-command.js';
import { version } from './version.js';

/** All commands with their options, help and examples. A command loads its modules when it runs, so help is fast. */
export function createProgram(): Command {
  const program = new StrictCommand('rollcall')
    .description('The integration API for organizations: members, meetings, invitations and signed webhooks.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showSuggestionAfterError(true)
    .showHelpAfterError('Run the command with --help for its options.')
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
  75  the database is unavailable, busy or full: try again`,
    )
    .exitOverride();

  addServeCommands(program);
  addDataCommands(program);
  addDeliveryCommands(program);
  addOrganizationCommands(program);
  addPeopleCommands(program);
  addConfigurationCommand(program);
  addCompletionCommand(program);
  return program;
}
