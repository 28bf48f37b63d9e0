import type { Links } from '@rollcall/core';

/** The addresses of the pages below `publicUrl`, which has no slash at its end, as links of the core. */
export function pageLinks(publicUrl: string): Required<Links> {
  return {
    invitation: (token) => `${publicUrl}/invitations/${token.reveal()}`,
    login: (token) => `${publicUrl}/login/${token.reveal()}`,
    passwordReset: (token) => `${publicUrl}/reset-password/${token.reveal()}`,
    webhook: (organizationId) => `${publicUrl}/organizations/${organizationId}/webhooks`,
    activity: (organizationId) => `${publicUrl}/organizations/${organizationId}/activity`,
    signOn: (organizationId) => `${publicUrl}/sign-in/organizations/${organizationId}/callback`,
    setup: (token) => `${publicUrl}/setup/${token.reveal()}`,
    calendar: (token) => `${publicUrl}/calendar/${token.reveal()}.ics`,
    defaultAvatar: `${publicUrl}/assets/default-avatar.svg`,
  };
}
