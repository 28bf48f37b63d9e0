import type { ActivityNames, AuditAction, AuditEntry, EntryTexts } from '@rollcall/core';
import { paths } from '../paths.js';

/** What was done, where the subject of the entry does not say it. */
const actionLabels: Record<AuditAction, string> = {
  'organization-created': 'Created the organization',
  'organization-renamed': 'Renamed the organization',
  'access-key-generated': 'Generated the access key',
  'access-key-replaced': 'Replaced the access key',
  'access-key-named': 'Named the access key',
  'webhook-configured': 'Changed the webhook',
  'signing-secret-rotated': 'Rotated the signing secret',
  'secret-rotation-finished': 'Finished the rotation of the signing secret',
  'webhook-tested': 'Sent a test to the webhook',
  'delivery-redelivered': 'Resent a delivery',
  'deliveries-redelivered': 'Resent undelivered events',
  'deliveries-dismissed': 'Dismissed undelivered events',
  'deliveries-dropped': 'Dropped held events',
  'user-invited': 'Invited someone',
  'invitation-revoked': 'Revoked an invitation',
  'invitation-renewed': 'Renewed an invitation',
  'member-added': 'Added a member',
  'idp-id-set': 'Changed an identity provider ID',
  'role-changed': 'Changed a role',
  'member-removed': 'Removed a member',
  'member-deactivated': 'Deactivated a member',
  'member-reactivated': 'Reactivated a member',
  'email-changed': 'Changed an email address',
  'name-changed': 'Corrected a name',
  'user-erased': 'Erased a person',
  'login-link-issued': 'Created a login link',
  'login-link-redeemed': 'Signed in with a login link',
  'member-signed-out': 'Signed a person out',
  'session-ended': 'Signed out of a session that a login link started',
  'sign-on-configured': 'Changed sign-on',
  'sign-on-removed': 'Removed sign-on',
  'identity-linked': 'Linked a person to the identity provider',
  'identity-unlinked': 'Unlinked a person from the identity provider',
  'setup-link-issued': 'Created a set-up link',
  'setup-link-opened': 'Opened the set-up link',
  'setup-link-ended': 'Ended the set-up link',
  'directory-token-issued': 'Created a directory token',
  'directory-token-ended': 'Ended a directory token',
  'second-factor-added': 'Added a second factor',
  'second-factor-removed': 'Removed a second factor',
  'second-factor-required': 'Required a second factor of owners and admins',
  'second-factor-optional': 'Stopped requiring a second factor',
  'time-zone-set': 'Changed the time zone of exports',
  'meetings-exported': 'Downloaded an export of meetings',
  'people-exported': 'Downloaded the list of people',
  'invitations-exported': 'Downloaded the list of invitations',
  'activity-exported': 'Downloaded the activity',
  'first-steps-hidden': 'Hid the first steps',
  'first-steps-shown': 'Showed the first steps again',
};

/** Actors that are not users, or no longer are. */
export const actorLabels: Record<AuditEntry['actor']['who']['kind'], string> = {
  user: 'Deleted user',
  'access-key': 'API, with the access key',
  'command-line': 'Command line of this service',
  directory: 'Directory of the identity provider',
  'setup-link': 'Someone with the set-up link',
  operator: 'Operator of this service',
  program: 'This service',
};

const { user, ...otherActors } = actorLabels;

/** The words of the list, for its search. */
export const activityNames: ActivityNames = { actions: actionLabels, actors: otherActors };

export function entryTexts({ action, subject, actor }: AuditEntry): EntryTexts {
  const texts = { actor: actorLabels[actor.who.kind], what: actionLabels[action], details: subject };
  switch (action) {
    case 'deliveries-redelivered':
      return { ...texts, what: countedText('Resent', subject, 'undelivered'), details: null };
    case 'deliveries-dismissed':
      return { ...texts, what: countedText('Dismissed', subject, 'undelivered'), details: null };
    case 'deliveries-dropped':
      return { ...texts, what: countedText('Dropped', subject, 'held'), details: null };
    // Their subjects are the ids of events, which the page of the delivery shows.
    case 'webhook-tested':
      return { ...texts, details: null };
    case 'delivery-redelivered':
      return { ...texts, what: subject?.startsWith('test ') ? 'Resent a test' : texts.what, details: null };
    case 'meetings-exported':
      return { ...texts, details: subject?.toUpperCase() ?? null };
    default:
      return texts;
  }
}

function countedText(verb: string, count: string | null, state: string): string {
  return `${verb} ${count ?? 'some'} ${state} ${count === '1' ? 'event' : 'events'}`;
}

/** The page of the object of an entry. Null: there is none. */
export function objectPath({ organizationId: id, action, about, objectId }: AuditEntry): string | null {
  switch (action) {
    case 'organization-renamed':
      return paths.organizationName(id);
    case 'time-zone-set':
      return `${paths.settings(id)}#time-zone`;
    case 'access-key-generated':
    case 'access-key-replaced':
    case 'access-key-named':
      return `${paths.settings(id)}#access-key`;
    case 'signing-secret-rotated':
    case 'secret-rotation-finished':
    case 'webhook-configured':
      return paths.webhookSettings(id);
    case 'deliveries-redelivered':
    case 'deliveries-dismissed':
    case 'deliveries-dropped':
      return objectId ? paths.delivery(id, objectId) : `${paths.webhooks(id)}#log`;
    case 'webhook-tested':
    case 'delivery-redelivered':
      return objectId && paths.delivery(id, objectId);
    case 'user-invited':
    case 'invitation-revoked':
    case 'invitation-renewed':
      return objectId && paths.invitation(id, objectId);
    default:
      return about && paths.member(id, about.id);
  }
}
