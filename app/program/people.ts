import type { Command } from 'commander';
import { addIdentityCommands } from './identity.js';
import {
  command,
  emailOption,
  examples,
  jsonOption,
  nameOption,
  optionalEmailOption,
  organizationOption,
  pageOption,
  roleOption,
} from './options.js';
import { addPersonalDataCommands } from './personal-data.js';

export function addPeopleCommands(program: Command): void {
  const user = command(
    program,
    'user',
    'create users, set passwords and email addresses, hand out and erase personal data',
  );
  command(user, 'create', 'create a user, who can sign in once a password is set')
    .addOption(emailOption('email address of the user'))
    .addOption(nameOption('first'))
    .addOption(nameOption('last'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('rollcall user create --email dana@example.com --first-name Dana --last-name Kim'),
    )
    .action(async (options) => (await import('../cli/user.js')).createUserCommand(options));
  command(user, 'set-password', 'set a password (from a prompt or standard input) and end all sessions')
    .addOption(emailOption('email address of the user'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall user set-password --email dana@example.com',
        'rollcall user set-password --email dana@example.com < password.txt',
      ),
    )
    .action(async (options) => (await import('../cli/user.js')).setPasswordCommand(options));
  command(user, 'end-sessions', 'end every session of a user, or of all users; they can sign in again')
    .addOption(optionalEmailOption('email address of the user').conflicts('all'))
    .option('--all', 'the sessions of all users')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('rollcall user end-sessions --email dana@example.com', 'rollcall user end-sessions --all'),
    )
    .action(async (options) => (await import('../cli/user.js')).endSessionsCommand(options));
  const secondFactor = command(user, 'second-factor', 'remove the second factor of a user who has lost it');
  command(secondFactor, 'remove', 'remove passkeys, app and recovery codes; the password alone signs in')
    .addOption(emailOption('email address of the user'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Check first who asks for it. The sessions that their password started end. An
organization that requires a second factor asks them to add one again.
${examples('rollcall user second-factor remove --email dana@example.com')}`,
    )
    .action(async (options) => (await import('../cli/user.js')).removeSecondFactorCommand(options));
  addIdentityCommands(user);
  addPersonalDataCommands(user);

  const member = command(program, 'member', 'list and manage the members of an organization');
  command(member, 'add', 'make a user a member; sends no event')
    .addOption(organizationOption())
    .addOption(emailOption('email address of the user'))
    .addOption(roleOption())
    .option('--idp-id <id>', "the organization's own ID of the user")
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('rollcall member add --organization 1 --email dana@example.com --role owner'),
    )
    .action(async (options) => (await import('../cli/member.js')).addMemberCommand(options));
  command(member, 'list', 'list the members of an organization, owners first')
    .addOption(organizationOption())
    .addOption(pageOption())
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall member list --organization 1'))
    .action(async (options) => (await import('../cli/member.js')).listMembersCommand(options));
  command(member, 'set', "set or remove a member's idp_id, the organization's own ID of the person")
    .addOption(organizationOption())
    .addOption(emailOption('email address of the member'))
    .option('--idp-id <id>', 'the new idp_id, unique in the organization')
    .option('--no-idp-id', 'remove the idp_id')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'rollcall member set --organization 1 --email dana@example.com --idp-id nw-4711',
        'rollcall member set --organization 1 --email dana@example.com --no-idp-id',
      ),
    )
    .action(async (options) => (await import('../cli/member.js')).setMemberCommand(options));
  command(member, 'change-role', 'change the role of a member; the last owner stays owner')
    .addOption(organizationOption())
    .addOption(emailOption('email address of the member'))
    .addOption(roleOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('rollcall member change-role --organization 1 --email dana@example.com --role admin'),
    )
    .action(async (options) => (await import('../cli/member.js')).changeRoleCommand(options));
  command(member, 'remove', 'remove a member; the last owner cannot be removed')
    .addOption(organizationOption())
    .addOption(emailOption('email address of the member'))
    .addOption(jsonOption())
    .addHelpText('after', examples('rollcall member remove --organization 1 --email dana@example.com'))
    .action(async (options) => (await import('../cli/member.js')).removeMemberCommand(options));
}
