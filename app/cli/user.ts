import type { User } from '@rollcall/core';
import { oneLine } from '@rollcall/core/adapters';
import { emailOf } from '@rollcall/sql/maintenance';
import { Failure } from '../failure.js';
import { print, printJson, say } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { counted } from './count-text.js';
import { readPassword } from './read-password.js';
import { commandLine, type JsonOptions, withCore } from './with-core.js';

interface EmailOptions extends JsonOptions {
  readonly email: string;
}

interface NameOptions extends EmailOptions {
  readonly firstName: string;
  readonly lastName: string;
}

function namedUser({ id, uuid, email, firstName, lastName }: User) {
  return { id, uuid, email, first_name: firstName, last_name: lastName };
}

export async function createUserCommand(options: NameOptions): Promise<void> {
  await withCore(async ({ core }) => {
    const { email, firstName, lastName } = options;
    const user = await core.addUser({ email, firstName, lastName, password: null });
    if (options.json === true) return printJson(namedUser(user));
    say(`Created ${user.email}. Set a password: rollcall user set-password --email ${user.email}`);
    print(user.uuid);
  });
}

export async function setPasswordCommand(options: EmailOptions): Promise<void> {
  await withCore(async ({ core }) => {
    const user = await core.setPassword({ email: options.email, password: await readPassword() });
    if (options.json === true) return printJson({ email: user.email });
    say(`Changed the password of ${user.email} and ended all sessions.`);
  });
}

export async function endSessionsCommand(
  options: Partial<EmailOptions> & { readonly all?: boolean },
): Promise<void> {
  const { email = null, all = false } = options;
  if (email === null && !all) throw new UsageError('--email or --all is required.');
  await withCore(async ({ core }) => {
    const { user, ended } = await core.endSessions({ email, by: commandLine });
    if (options.json === true) return printJson({ email: user?.email ?? null, ended });
    const whose = user === null ? 'all users' : user.email;
    say(`Ended ${counted(ended, 'session')} of ${whose}. They can sign in again.`);
  });
}

export async function removeSecondFactorCommand(options: EmailOptions): Promise<void> {
  await withCore(async ({ core }) => {
    const { email } = await core.removeSecondFactorOf({ email: options.email, by: commandLine });
    if (options.json === true) return printJson({ email });
    say(`Removed the second factor of ${email} and ended the sessions of their password.`);
  });
}

export async function setEmailCommand(
  options: Partial<EmailOptions> & { readonly user?: number; readonly to: string },
): Promise<void> {
  const { email: given, user: userId } = options;
  if (given === undefined && userId === undefined) throw new UsageError('--email or --user is required.');
  await withCore(async ({ core, database }) => {
    const email = given ?? (await emailOf(database, userId ?? 0));
    if (email === null) throw new Failure(`user: there is no user ${userId}`);
    const user = await core.setEmail({ email, to: options.to, by: commandLine });
    if (options.json === true) return printJson({ id: user.id, uuid: user.uuid, email: user.email });
    say(`Changed ${email} to ${user.email} and ended all sessions.`);
  });
}

export async function setNameCommand(options: NameOptions): Promise<void> {
  await withCore(async ({ core }) => {
    const { email, firstName, lastName } = options;
    const user = await core.setName({ person: { email }, firstName, lastName, by: commandLine });
    if (options.json === true) return printJson(namedUser(user));
    say(`${user.email} is now called ${oneLine(`${user.firstName} ${user.lastName}`)}.`);
  });
}
