import type { components } from '@rollcall/contracts';
import { type InvitedPerson, Refusal, type RefusalCode } from '@rollcall/core';
import { compileEntryCheck } from '../check.js';
import { daysIn, invitedUserAnswer } from '../invitation-answer.js';
import { alwaysRepeatable, securedOperation } from '../operation.js';
import { wireText } from '../wire-names.js';

const checkEntry = compileEntryCheck('inviteUsers', 'users');

export const inviteUsers = securedOperation(
  'inviteUsers',
  async ({ core, organization, input, by }) => {
    const users = input.users.map(personOf);
    const results = await core.inviteUsers({ organization, users, by });
    return {
      success: true as const,
      results: results.map(({ index, status, user, code, problems }) => ({
        index,
        status,
        user: user && invitedUserAnswer(user),
        code: code && codeOf(code),
        error: problems.length === 0 ? null : problems.map(wireText).join('; '),
      })),
    };
  },
  alwaysRepeatable,
);

/** Every other refusal of an entry is `invalid-request`, as in the answer to `invite_user`. */
function codeOf(code: RefusalCode): 'already-member' | 'invalid-request' {
  return code === 'already-member' ? code : 'invalid-request';
}

/** The person in an entry, or the problems of the entry. */
function personOf(entry: unknown): InvitedPerson {
  try {
    const { input } = checkEntry(entry);
    const person = input as components['schemas']['InviteUserRequest'];
    const { email, first_name: firstName, last_name: lastName, idp_id: idpId } = person;
    return { email, firstName, lastName, idpId, expiresInDays: daysIn(person) };
  } catch (error) {
    if (error instanceof Refusal) return { problems: error.problems };
    throw error;
  }
}
