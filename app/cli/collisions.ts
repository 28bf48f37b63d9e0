import {
  type Collisions,
  type EqualAddresses,
  findCollisions,
  type ReplacedAccount,
  type SharedNumber,
} from '@rollcall/sql/maintenance';
import { print, printJson, say } from '../terminal.js';
import { table } from './table.js';
import { withCore } from './with-core.js';

/** Lists accounts that may stand for two people. Finding some is not a failure. */
export async function collisionsCommand({ json }: { readonly json?: boolean }): Promise<void> {
  await withCore(async ({ database }) => {
    const found = await findCollisions(database);
    if (json === true) printJson(toJson(found));
    else printCollisions(found);
  });
}

function printCollisions({ accounts, addresses, numbers }: Collisions): void {
  if (accounts.length + addresses.length + numbers.length === 0) {
    say('No collisions were found.');
    return;
  }
  printPart(
    'Accounts whose person or email address has changed since an invitation was accepted:',
    ['User', 'Organization', 'Accepted', 'Invited', 'Now'],
    accounts.map(accountCells),
  );
  printPart(
    'Email addresses that look the same or can no longer sign in (change one with "rollcall user set-email"):',
    ['User', 'Looks like', 'Stored as'],
    addresses.flatMap(addressCells),
  );
  printPart(
    'Accounts created here whose number the platform may also use (imports keep them apart):',
    ['Number', 'Account created here', 'Platform user with this number'],
    numbers.map(numberCells),
  );
}

function printPart(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  say(title);
  for (const line of table(head, rows)) print(line);
}

function accountCells({
  userId,
  organizationId,
  acceptedAt,
  invited,
  now,
}: ReplacedAccount): readonly string[] {
  return [
    String(userId),
    String(organizationId),
    acceptedAt.toISOString(),
    `${escaped(invited.email)} ${invited.uuid}`,
    `${escaped(now.email)} ${now.uuid}`,
  ];
}

function addressCells({ look, users }: EqualAddresses): readonly (readonly string[])[] {
  return users.map(({ userId, email }) => [String(userId), look, escaped(email)]);
}

function numberCells({ number, email, platformUserId }: SharedNumber): readonly string[] {
  return [
    String(number),
    escaped(email),
    platformUserId === null ? 'none yet' : `user ${platformUserId} here`,
  ];
}

/** Escapes all characters outside ASCII, because the addresses look the same without this. */
function escaped(email: string): string {
  return email.replace(
    /\P{ASCII}/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`,
  );
}

function toJson({ accounts, addresses, numbers }: Collisions) {
  return {
    accounts: accounts.map(({ userId, organizationId, acceptedAt, invited, now }) => ({
      user_id: userId,
      organization_id: organizationId,
      accepted_at: acceptedAt,
      invited,
      now,
    })),
    addresses: addresses.map(({ look, users }) => ({
      look,
      users: users.map(({ userId, email }) => ({ user_id: userId, email })),
    })),
    numbers: numbers.map(({ number, email, platformUserId }) => ({
      number,
      email,
      platform_user_id: platformUserId,
    })),
  };
}
