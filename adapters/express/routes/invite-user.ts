import { callerOf, securedOperation } from '../operation.js';

/** Section 4.2. */
export const inviteUser = securedOperation('inviteUser', async ({ core, organization, input, address }) => {
  const user = await core.inviteUser({
    organization,
    email: input.email,
    firstName: input.first_name,
    lastName: input.last_name,
    by: callerOf({ address }),
  });
  return {
    success: 'User invited successfully.' as const,
    user: {
      id: user.uuid,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      invitation_url: user.invitationUrl,
    },
  };
});
