import { type Command, Option } from 'commander';
import { positiveInteger } from '../cli/arguments.js';
import { command, emailOption, examples, jsonOption, nameOption, optionalEmailOption } from './options.js';

export function addIdentityCommands(user: Command): void {
  command(user, 'set-email', 'change the email address of a user and end all sessions')
    .addOption(optionalEmailOption('current email address'))
    .addOption(
      new Option('--user <number>', 'number of the user, if the email address cannot be typed')
        .argParser(positiveInteger)
        .conflicts('email'),
    )
    .requiredOption('--to <address>', 'new email address')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall user set-email --email dana@example.com --to dana.kim@example.com',
        'rollcall user set-email --user 101 --to dana.kim@example.com',
      ),
    )
    .action(async (options) => (await import('../cli/user.js')).setEmailCommand(options));
  command(user, 'set-name', 'correct the name of a user')
    .addOption(emailOption('email address'))
    .addOption(nameOption('first'))
    .addOption(nameOption('last'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The meetings that the user leads show the new name, too. If your platform sends
the user, correct the name there as well: the next import that names the user
changes it back.
${examples('rollcall user set-name --email dana@example.com --first-name Dana --last-name Kim')}`,
    )
    .action(async (options) => (await import('../cli/user.js')).setNameCommand(options));
}
