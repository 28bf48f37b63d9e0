import type { components } from '@rollcall/contracts';
import type { InvitationView, InvitedUser } from '@rollcall/core';

type Schemas = components['schemas'];

/** An invitation as the API shows it. */
export function invitationAnswer(invitation: Omit<InvitationView, 'inviter'>): Schemas['Invitation'] {
  return {
    id: invitation.userUuid,
    email: invitation.email,
    first_name: invitation.firstName,
    last_name: invitation.lastName,
    idp_id: invitation.idpId,
    state: invitation.replacedBy === null ? invitation.state : 'replaced',
    invited_at: invitation.createdAt.toISOString(),
    accepted_at: invitation.acceptedAt?.toISOString() ?? null,
    revoked_at: invitation.revokedAt?.toISOString() ?? null,
    invitation_url: invitation.invitationUrl,
  };
}

/** A form sends a number as text. */
export function daysIn({ expires_in_days: days }: Schemas['InviteUserRequest']): number | undefined {
  return days === undefined ? undefined : Number(days);
}

/** An invited user as the answer of an invitation shows them. */
export function invitedUserAnswer(user: InvitedUser): Schemas['InvitedUser'] {
  return {
    id: user.uuid,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    invitation_url: user.invitationUrl,
  };
}
