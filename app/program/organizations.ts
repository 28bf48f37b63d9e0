import { type Command, Option } from 'commander';
import { keepHours } from '../cli/arguments.js';
import { command, examples, jsonOption, organizationOption, pageOption } from './options.js';

export function addOrganizationCommands(program: Command): void {
  const organization = command(program, 'organization', 'create and list organizations');
  command(organization, 'create', 'create an organization; it has no access key yet')
    .requiredOption('--name <name>', 'name of the organization')
    .option('--eap', 'the organization runs an Employee Assistance Program', false)
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall organization create --name "Northwind Wellness" --eap'))
    .action(async (options) => (await import('../cli/organization.js')).createOrganizationCommand(options));
  command(organization, 'list', 'list all organizations')
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall organization list', 'rollcall organization list --json'))
    .action(async (options) => (await import('../cli/organization.js')).listOrganizationsCommand(options));
  command(organization, 'activity', 'list who did what in an organization, newest first')
    .addOption(organizationOption())
    .addOption(pageOption())
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall organization activity --organization 1'))
    .action(async (options) => (await import('../cli/activity.js')).listActivityCommand(options));

  const accessKey = command(program, 'access-key', 'generate access keys');
  command(
    accessKey,
    'generate',
    'give an organization a new access key; the old key and its tokens stop working, at once by default',
  )
    .addOption(organizationOption())
    .addOption(
      new Option(
        '--keep-old-hours <hours>',
        'keep the old key and its tokens working for this time, up to 168 hours; a key kept earlier stops working at once',
      ).argParser(keepHours),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall access-key generate --organization 1',
        'rollcall access-key generate --organization 1 --keep-old-hours 24',
      ),
    )
    .action(async (options) => (await import('../cli/access-key.js')).generateAccessKeyCommand(options));
}
