import { auditEntries } from '../../access/audit-entries.js';
import type { Actor } from '../../access/ports/audit-trail.js';
import type { JournalEntry } from '../../access/ports/journal.js';
import type { Uses } from '../../deps.js';
import { refusal } from '../../errors.js';
import type { Problem } from '../../values/problem.js';
import type { Secret } from '../../values/secret.js';
import { textProblem } from '../../values/text.js';
import type { FactorChange, StoredSecondFactor } from '../ports/second-factors.js';

/** The passkeys that one user can have. */
export const maxPasskeys = 20;
const MAX_NAME_CHARACTERS = 60;
const RECOVERY_CODES = 10;

/** Whether a password alone signs nobody in. */
export function hasSecondFactor({ passkeys, code }: Pick<StoredSecondFactor, 'passkeys' | 'code'>): boolean {
  return passkeys.length > 0 || (code !== null && code.confirmedAt !== null);
}

/** What is wrong with the name of a passkey, or null. */
export function passkeyNameProblem(name: string): Problem | null {
  return textProblem('name', name, { maxCharacters: MAX_NAME_CHARACTERS });
}

/** Ten codes for a user who has lost everything else, to be shown once. */
export function newRecoveryCodes({ secrets }: Uses<'secrets.newRecoveryCode'>): {
  readonly codes: readonly Secret[];
  readonly hashes: readonly string[];
} {
  const made = Array.from({ length: RECOVERY_CODES }, () => secrets.newRecoveryCode());
  return { codes: made.map(({ code }) => code), hashes: made.map(({ hash }) => hash) };
}

/** What is stored with a change: an entry for each organization of the user, and a mail to the user. */
export function changeJournal(
  { mailer }: Uses<'mailer.send'>,
  action: 'second-factor-added' | 'second-factor-removed',
  {
    what,
    by,
    at,
  }: {
    readonly what: 'passkey' | 'authenticator app' | 'everything';
    readonly by: Actor | undefined;
    readonly at: Date;
  },
) {
  return ({ user: { id: aboutUserId, email }, organizationIds }: FactorChange): readonly JournalEntry[] => [
    ...organizationIds.flatMap((organizationId) =>
      auditEntries({ by, at }, { organizationId, action, subject: `${email}: ${what}`, aboutUserId }),
    ),
    ...(mailer === undefined ? [] : [{ kind: action, email, createdAt: at }]),
  ];
}

export const secondFactorNotFound = refusal(
  'second-factor-not-found',
  'There is no such second factor; nothing was changed',
);

/** The answer of a passkey is in no field that a person could correct. */
export const wrongPasskey = refusal('wrong-second-factor', 'The passkey could not be checked. Try again');
export const wrongSecondFactor = refusal('wrong-second-factor', [
  {
    field: 'secondFactor',
    code: 'wrong',
    message: 'is wrong, or was used already',
  },
]);
