import { Refusal, refusal } from '../../errors.js';
import { emailProblem } from '../../values/email.js';
import type { Field, Problem } from '../../values/problem.js';
import { refuseAny } from '../../values/problems.js';
import { textProblem } from '../../values/text.js';
import { idpIdProblem } from '../members/idp-id.js';
import type { DirectoryEntry, NotWritten, WrittenEntry } from '../ports/directory.js';
import { accountOf } from './directory.js';

/**
 * The entry with the account that belongs to it. Only what differs from `before` is checked, so that nobody stays active
 * because of what was stored earlier.
 */
export function checkEntry(entry: DirectoryEntry, before: DirectoryEntry | null): WrittenEntry {
  const changed = (name: keyof DirectoryEntry): boolean => before === null || before[name] !== entry[name];
  const { userName, externalId, email } = entry;
  const isAddressed = email !== null || emailProblem('userName', userName) === null;
  refuseAny([
    changed('userName') ? textProblem('userName', userName, { maxCharacters: 300 }) : null,
    changed('externalId') && externalId !== null ? externalIdProblem(externalId) : null,
    ...(['givenName', 'familyName', 'displayName'] as const).map((name) => {
      const text = entry[name];
      return text !== null && changed(name) ? textProblem(name, text, { maxCharacters: 300 }) : null;
    }),
    email !== null && changed('email') ? emailProblem('emails', email) : null,
    isAddressed || !(changed('email') || changed('userName')) ? null : addressMissing,
  ]);
  return { entry, account: accountOf(entry) };
}

const addressMissing: Problem = {
  field: 'emails',
  code: 'required',
  message: 'must have an address, unless userName is one',
};

/** As for every `idpId`, and not what HTTP clients remove from the path of a URL. */
function externalIdProblem(externalId: string): Problem | null {
  const problem =
    externalId === '.' || externalId === '..'
      ? { code: 'not-allowed' as const, message: 'must not be . or ..' }
      : idpIdProblem(externalId);
  return problem === null ? null : { ...problem, field: 'externalId' };
}

/** Another person, member or invitation has what the directory has written. */
function taken(field: Field): Refusal {
  return new Refusal('directory-taken', [
    { field, code: 'taken-id', message: 'belongs to another person or a pending invitation' },
  ]);
}

/** The refusal of a write. The texts are read by administrators in the product of their identity provider. */
export function notWritten(why: NotWritten): Refusal {
  switch (why) {
    case 'user-name-taken':
      return taken('userName');
    case 'external-id-taken':
      return taken('externalId');
    case 'email-taken':
      return taken('emails');
    case 'last-owner':
      return new Refusal(
        'last-owner',
        'This is the last owner. They were signed out but remain the owner. Make someone else an owner first',
      );
    case 'not-written':
      return new Refusal(
        'directory-not-written',
        'This person is an admin or owner whom the directory has never written. Make them a member first, or remove them on the People page',
      );
    default:
      return unknownPerson();
  }
}

export const unknownPerson = refusal('directory-person-unknown', 'The directory has no such person');
