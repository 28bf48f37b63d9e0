import { daysIn, invitedUserAnswer } from '../invitation-answer.js';
import { securedOperation } from '../operation.js';

/** Section 4.2. */
export const inviteUser = securedOperation('inviteUser', async ({ core, organization, input, by }) => {
  const user = await core.inviteUser({
    organization,
    email: input.email,
    firstName: input.first_name,
    lastName: input.last_name,
    idpId: input.idp_id,
    expiresInDays: daysIn(input),
    by,
  });
  return { success: 'User invited successfully.' as const, user: invitedUserAnswer(user) };
});
