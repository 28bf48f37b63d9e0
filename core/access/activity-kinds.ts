/** Every action that is recorded, with its kind. */
const kindOf = {
  'organization-created': 'organization',
  'organization-renamed': 'organization',
  'time-zone-set': 'organization',
  'first-steps-hidden': 'organization',
  'first-steps-shown': 'organization',
  'access-key-generated': 'access-key',
  'access-key-replaced': 'access-key',
  'access-key-named': 'access-key',
  'webhook-configured': 'webhook',
  'signing-secret-rotated': 'webhook',
  'secret-rotation-finished': 'webhook',
  'webhook-tested': 'webhook',
  'delivery-redelivered': 'deliveries',
  'deliveries-redelivered': 'deliveries',
  'deliveries-dismissed': 'deliveries',
  'deliveries-dropped': 'deliveries',
  'user-invited': 'invitations',
  'invitation-revoked': 'invitations',
  'invitation-renewed': 'invitations',
  'member-added': 'people',
  'role-changed': 'people',
  'member-removed': 'people',
  'member-deactivated': 'people',
  'member-reactivated': 'people',
  'idp-id-set': 'people',
  'email-changed': 'people',
  'name-changed': 'people',
  'user-erased': 'people',
  'login-link-issued': 'login-links',
  'login-link-redeemed': 'login-links',
  'session-ended': 'login-links',
  'sign-on-configured': 'sign-on',
  'sign-on-removed': 'sign-on',
  'identity-linked': 'sign-on',
  'identity-unlinked': 'sign-on',
  'setup-link-issued': 'sign-on',
  'setup-link-opened': 'sign-on',
  'setup-link-ended': 'sign-on',
  'directory-token-issued': 'directory',
  'directory-token-ended': 'directory',
  'second-factor-added': 'people',
  'second-factor-removed': 'people',
  'second-factor-required': 'organization',
  'second-factor-optional': 'organization',
  'member-signed-out': 'people',
  'meetings-exported': 'downloads',
  'people-exported': 'downloads',
  'invitations-exported': 'downloads',
  'activity-exported': 'downloads',
} as const;

/** What was done. The `subject` of the entry tells what it was done to. */
export type AuditAction = keyof typeof kindOf;

/** What an action is about. Each action has one kind. */
export type ActivityKind = (typeof kindOf)[AuditAction];

export const activityKinds: readonly ActivityKind[] = [...new Set(Object.values(kindOf))];

/** The actions of a kind. */
export function actionsOf(kind: ActivityKind): readonly AuditAction[] {
  return (Object.keys(kindOf) as AuditAction[]).filter((action) => kindOf[action] === kind);
}
