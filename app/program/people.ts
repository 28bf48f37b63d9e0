import { type Command, Option } from 'commander';
import {
  command,
  emailOption,
  group,
  nameOptions,
  numberOption,
  optionalEmailOption,
  organizationOption,
  pageOption,
  requiredOption,
  roleOption,
} from './options.js';
import { addPersonalDataCommands } from './personal-data.js';

export function addPeopleCommands(program: Command): void {
  const user = group(
    program,
    'user',
    'create users, set passwords and email addresses, hand out and erase personal data',
  );
  command(user, 'create', 'create a user, who can sign in once a password is set', {
    options: [emailOption('email address of the user'), ...nameOptions()],
    examples: ['rollcall user create --email dana@example.com --first-name Dana --last-name Kim'],
  }).action(async (options) => (await import('../cli/user.js')).createUserCommand(options));
  command(user, 'set-password', 'set a password (from a prompt or standard input) and end all sessions', {
    options: [emailOption('email address of the user')],
    examples: [
      'rollcall user set-password --email dana@example.com',
      'rollcall user set-password --email dana@example.com < password.txt',
    ],
  }).action(async (options) => (await import('../cli/user.js')).setPasswordCommand(options));
  command(user, 'end-sessions', 'end every session of a user, or of all users; they can sign in again', {
    options: [
      optionalEmailOption('email address of the user').conflicts('all'),
      new Option('--all', 'the sessions of all users'),
    ],
    examples: ['rollcall user end-sessions --email dana@example.com', 'rollcall user end-sessions --all'],
  }).action(async (options) => (await import('../cli/user.js')).endSessionsCommand(options));
  const secondFactor = group(user, 'second-factor', 'remove the second factor of a user who has lost it');
  command(secondFactor, 'remove', 'remove passkeys, app and recovery codes; the password alone signs in', {
    options: [emailOption('email address of the user')],
    details: `
Check first who asks for it. The sessions that their password started end. An
organization that requires a second factor asks them to add one again.
`,
    examples: ['rollcall user second-factor remove --email dana@example.com'],
  }).action(async (options) => (await import('../cli/user.js')).removeSecondFactorCommand(options));
  command(user, 'set-email', 'change the email address of a user and end all sessions', {
    options: [
      optionalEmailOption('current email address'),
      numberOption('--user <number>', 'number of the user, if the email address cannot be typed').conflicts(
        'email',
      ),
      requiredOption('--to <address>', 'new email address'),
    ],
    examples: [
      'rollcall user set-email --email dana@example.com --to dana.kim@example.com',
      'rollcall user set-email --user 101 --to dana.kim@example.com',
    ],
  }).action(async (options) => (await import('../cli/user.js')).setEmailCommand(options));
  command(user, 'set-name', 'correct the name of a user', {
    options: [emailOption('email address'), ...nameOptions()],
    details: `
The meetings that the user leads show the new name, too. If your platform sends
the user, correct the name there as well: the next import that names the user
changes it back.
`,
    examples: ['rollcall user set-name --email dana@example.com --first-name Dana --last-name Kim'],
  }).action(async (options) => (await import('../cli/user.js')).setNameCommand(options));
  addPersonalDataCommands(user);

  const member = group(program, 'member', 'list and manage the members of an organization');
  command(member, 'add', 'make a user a member; sends no event', {
    options: [
      organizationOption(),
      emailOption('email address of the user'),
      roleOption(),
      new Option('--idp-id <id>', "the organization's own ID of the user"),
    ],
    examples: ['rollcall member add --organization 1 --email dana@example.com --role owner'],
  }).action(async (options) => (await import('../cli/member.js')).addMemberCommand(options));
  command(member, 'list', 'list the members of an organization, owners first', {
    options: [organizationOption(), pageOption()],
    examples: ['rollcall member list --organization 1'],
  }).action(async (options) => (await import('../cli/member.js')).listMembersCommand(options));
  command(member, 'set', "set or remove a member's idp_id, the organization's own ID of the person", {
    options: [
      organizationOption(),
      emailOption('email address of the member'),
      new Option('--idp-id <id>', 'the new idp_id, unique in the organization'),
      new Option('--no-idp-id', 'remove the idp_id'),
    ],
    examples: [
      'rollcall member set --organization 1 --email dana@example.com --idp-id nw-4711',
      'rollcall member set --organization 1 --email dana@example.com --no-idp-id',
    ],
  }).action(async (options) => (await import('../cli/member.js')).setMemberCommand(options));
  command(member, 'change-role', 'change the role of a member; the last owner stays owner', {
    options: [organizationOption(), emailOption('email address of the member'), roleOption()],
    examples: ['rollcall member change-role --organization 1 --email dana@example.com --role admin'],
  }).action(async (options) => (await import('../cli/member.js')).changeRoleCommand(options));
  command(member, 'remove', 'remove a member; the last owner cannot be removed', {
    options: [organizationOption(), emailOption('email address of the member')],
    examples: ['rollcall member remove --organization 1 --email dana@example.com'],
  }).action(async (options) => (await import('../cli/member.js')).removeMemberCommand(options));
}
