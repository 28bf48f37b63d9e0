import { type Command, Option } from 'commander';
import { keepHours } from '../cli/arguments.js';
import { command, group, numberOption, organizationOption, pageOption, requiredOption } from './options.js';

export function addOrganizationCommands(program: Command): void {
  const organization = group(program, 'organization', 'create, list, rename and remove organizations');
  command(organization, 'create', 'create an organization; it has no access key yet', {
    options: [
      requiredOption('--name <name>', 'name of the organization'),
      new Option('--eap', 'the organization runs an Employee Assistance Program').default(false),
    ],
    examples: ['rollcall organization create --name "Northwind Wellness" --eap'],
  }).action(async (options) => (await import('../cli/organization.js')).createOrganizationCommand(options));
  command(organization, 'list', 'list all organizations', {
    examples: ['rollcall organization list', 'rollcall organization list --json'],
  }).action(async (options) => (await import('../cli/organization.js')).listOrganizationsCommand(options));
  command(organization, 'rename', 'change the name of an organization', {
    options: [organizationOption(), requiredOption('--name <name>', 'new name of the organization')],
    details: `
Pages and mails show the new name at once, on every instance. Events that were
made before keep the name of that time. If your platform sends the organization,
rename it there as well: the next import that names it changes it back.
`,
    examples: ['rollcall organization rename --organization 1 --name "Northwind Health"'],
  }).action(async (options) => (await import('../cli/organization.js')).renameOrganizationCommand(options));
  command(organization, 'remove', 'remove an organization and everything that belongs to it', {
    options: [
      organizationOption(),
      new Option('--yes', 'do not ask'),
      new Option('--dry-run', 'only say what would be removed'),
    ],
    details: `
Removes its members, invitations, meetings, access keys, webhook, deliveries,
events and activity. Its keys and tokens stop working at once, and nothing that
waits is sent any more. Accounts stay, also of people who belong to no other
organization: "rollcall user erase" removes a person. Service meetings that are
tied to it stay, too. If your platform still sends the organization, the next
import creates it again, without a key and a webhook.
`,
    examples: [
      'rollcall organization remove --organization 7 --dry-run',
      'rollcall organization remove --organization 7',
    ],
  }).action(async (options) => (await import('../cli/organization.js')).removeOrganizationCommand(options));
  command(organization, 'activity', 'list who did what in an organization, newest first', {
    options: [organizationOption(), pageOption()],
    examples: ['rollcall organization activity --organization 1'],
  }).action(async (options) => (await import('../cli/activity.js')).listActivityCommand(options));

  const signOn = group(program, 'sign-on', 'turn sign-on at an identity provider off');
  command(signOn, 'off', 'turn sign-on of an organization off, if its settings have locked people out', {
    options: [organizationOption()],
    details: `
Everyone who signed in with it is signed out, and passwords open the organization
again, but not the memberships that sign-on made. The settings stay: an owner can
correct them and turn sign-on on again.
`,
    examples: ['rollcall sign-on off --organization 1'],
  }).action(async (options) => (await import('../cli/sign-on.js')).turnSignOnOffCommand(options));

  const accessKey = group(program, 'access-key', 'generate access keys');
  command(
    accessKey,
    'generate',
    'give an organization a new access key; the old key and its tokens stop working, at once by default',
    {
      options: [
        organizationOption(),
        numberOption(
          '--keep-old-hours <hours>',
          'keep the old key and its tokens working for this time, up to 168 hours; a key kept earlier stops working at once',
          keepHours,
        ),
      ],
      examples: [
        'rollcall access-key generate --organization 1',
        'rollcall access-key generate --organization 1 --keep-old-hours 24',
      ],
    },
  ).action(async (options) => (await import('../cli/access-key.js')).generateAccessKeyCommand(options));
}
