import { type Command, Option } from 'commander';
import { command, optionalEmailOption } from './options.js';

export function addPersonalDataCommands(user: Command): void {
  command(user, 'data', 'print everything that is stored about a person, as JSON', {
    options: [
      ...personOptions(),
      new Option('-o, --output <file>', 'write to a new file that only you can read'),
    ],
    details: `
Includes what every organization has about the person: account, memberships,
invitations, sessions, login links, calendar feeds, meetings, audit entries,
events and deliveries. Secrets are left out. Audit entries can name other people:
read the document before you hand it out.
`,
    examples: [
      'rollcall user data --email dana@example.com -o dana.json',
      'rollcall user data --uuid 8f6f0f52-9f0e-4c53-9a49-1f6f4f5f2f11',
    ],
  }).action(async (options) => (await import('../cli/personal-data.js')).userDataCommand(options));

  command(user, 'erase', 'remove a person and everything that is stored about them', {
    options: [
      ...personOptions(),
      new Option('--yes', 'do not ask'),
      new Option('--force', 'erase even the last owner of an organization'),
      new Option('--dry-run', 'only say what would be removed'),
    ],
    details: `
Removes the person from every organization. Events, deliveries and audit entries
stay without the person; meetings stay without their leader. Then the files of
the database are cleaned: SQLite writes the file again, and other writers wait;
PostgreSQL vacuums the tables, and nobody waits.

Backups and exports keep what they contain. If your platform still sends the
person with "rollcall import", remove them there first.
`,
    examples: [
      'rollcall user erase --email dana@example.com --dry-run',
      'rollcall user erase --email dana@example.com',
      'rollcall user erase --uuid 8f6f0f52-9f0e-4c53-9a49-1f6f4f5f2f11 --yes --json',
    ],
  }).action(async (options) => (await import('../cli/personal-data.js')).eraseUserCommand(options));
}

function personOptions(): readonly Option[] {
  return [
    optionalEmailOption('email address of the person, also of an invitation'),
    new Option('--uuid <uuid>', 'UUID of the person, also one that an organization knows').conflicts('email'),
  ];
}
