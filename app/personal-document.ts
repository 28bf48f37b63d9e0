import type { PersonalMeeting, PersonalRecord, RecordedDelivery } from '@rollcall/core';

/** Everything that is stored about a person, as JSON. Described in contracts/operating.md. */
export function personalDocument(record: PersonalRecord) {
  const { account } = record;
  const of = (organizationId: number | null) =>
    record.organizations.find(({ id }) => id === organizationId) ??
    (organizationId === null ? null : { id: organizationId, name: null });
  const meetingOf = ({ id, organizationId, name, startTime }: PersonalMeeting) => ({
    ...{ id, name, start_time: startTime, organization: of(organizationId) },
  });
  return {
    account: account && {
      ...{ id: account.id, uuid: account.uuid, email: account.email },
      ...{ first_name: account.firstName, last_name: account.lastName, avatar: account.avatar },
      ...{ created_at: account.createdAt, has_password: account.hasPassword },
      signed_in_at: account.signedInAt,
    },
    emails: [...record.emails],
    memberships: record.memberships.map(({ organizationId, uuid, role, idpId, joinedAt }) => ({
      ...{ organization: of(organizationId), uuid, role, idp_id: idpId, joined_at: joinedAt },
    })),
    invitations: record.invitations.map((invitation) => ({
      ...{ organization: of(invitation.organizationId), uuid: invitation.userUuid, email: invitation.email },
      ...{ first_name: invitation.firstName, last_name: invitation.lastName, idp_id: invitation.idpId },
      ...{ role: invitation.role, created_at: invitation.createdAt, expires_at: invitation.expiresAt },
      accepted_at: invitation.acceptedAt,
      revoked_at: invitation.revokedAt,
    })),
    sent_invitations: record.sentInvitations,
    sessions: record.sessions.map(({ boundTo, startedBy, hasSecondFactor, createdAt, seenAt, device }) => ({
      ...{ organization: of(boundTo), started_by: startedBy, has_second_factor: hasSecondFactor },
      ...{ created_at: createdAt, seen_at: seenAt, device },
    })),
    identities: record.identities.map(({ organizationId, issuer, subject, linkedAt, usedAt }) => ({
      ...{ organization: of(organizationId), issuer, subject, linked_at: linkedAt, used_at: usedAt },
    })),
    second_factor: {
      passkeys: record.secondFactor.passkeys.map(({ name, isBackedUp, createdAt, usedAt }) => ({
        ...{ name, is_backed_up: isBackedUp, created_at: createdAt, used_at: usedAt },
      })),
      codes_since: record.secondFactor.codesSince,
      recovery_codes: record.secondFactor.recoveryCodes,
    },
    directory_entries: record.directoryEntries.map((entry) => ({
      ...{ organization: of(entry.organizationId), uuid: entry.uuid, user_name: entry.userName },
      ...{ external_id: entry.externalId, given_name: entry.givenName, family_name: entry.familyName },
      ...{ display_name: entry.displayName, email: entry.email, is_active: entry.isActive },
    })),
    login_links: record.loginLinks.map(({ organizationId, createdAt, expiresAt, redeemedAt }) => ({
      ...{ organization: of(organizationId), created_at: createdAt },
      ...{ expires_at: expiresAt, redeemed_at: redeemedAt },
    })),
    mails: record.mails.map(({ kind, email, createdAt }) => ({ kind, email, created_at: createdAt })),
    calendar_feeds: record.calendarFeeds.map(({ organizationId, createdAt }) => ({
      ...{ organization: of(organizationId), created_at: createdAt },
    })),
    registrations: record.registrations.map(({ meeting, registeredAt }) => ({
      ...{ meeting: meetingOf(meeting), registered_at: registeredAt },
    })),
    waitlist_entries: record.waitingPlaces.map(({ meeting, status, createdAt, offeredUntil }) => ({
      ...{ meeting: meetingOf(meeting), status, created_at: createdAt, offered_until: offeredUntil },
    })),
    led_meetings: record.ledMeetings.map(meetingOf),
    audit_entries: record.auditEntries.map(({ organizationId, at, action, subject, isActor, from }) => ({
      ...{ organization: of(organizationId), at, action, subject, by_this_person: isActor, from },
    })),
    events: record.events.map(({ id, name, organizationId, createdAt, body }) => ({
      ...{ event_id: id, event: name, organization: of(organizationId), created_at: createdAt, body },
    })),
    deliveries: record.deliveries.map((delivery) => deliveryDocument(delivery, of)),
  };
}

function deliveryDocument(delivery: RecordedDelivery, of: (organizationId: number) => object | null) {
  return {
    ...{ id: delivery.id, event_id: delivery.eventId, organization: of(delivery.organizationId) },
    ...{ state: delivery.state, created_at: delivery.createdAt, finished_at: delivery.finishedAt },
    body: delivery.body,
    attempts: delivery.attempts.map(({ startedAt, outcome, status, reason, request, response }) => ({
      ...{ started_at: startedAt, outcome, status, reason, request, response },
    })),
  };
}
