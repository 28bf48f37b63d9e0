import { print, printJson, say } from '../terminal.js';
import { readPassword } from './read-password.js';
import { withCore } from './with-core.js';

export async function createUserCommand(options: {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly json?: boolean;
}): Promise<void> {
  await withCore(async ({ core }) => {
    const { email, firstName, lastName } = options;
    const user = await core.createUser({ email, firstName, lastName, password: null });
    if (options.json === true) {
      return printJson({
        id: user.id,
        uuid: user.uuid,
        email: user.email,
        first_name: user.firstName,
        last_name: user.lastName,
      });
    }
    say(`Created ${user.email}. Set a password: rollcall user set-password --email ${user.email}`);
    print(user.uuid);
  });
}

export async function setPasswordCommand(options: {
  readonly email: string;
  readonly json?: boolean;
}): Promise<void> {
  await withCore(async ({ core }) => {
    const user = await core.setPassword({ email: options.email, password: await readPassword() });
    if (options.json === true) return printJson({ email: user.email });
    say(`${user.email} has a new password; all sessions of this user are closed.`);
  });
}
