/** The tables of the newest schema, on either engine. The schema may also have tables of other applications. */
// biome-ignore format: a list
export const ownTables: readonly string[] = [
  'access_key_labels', 'api_calls', 'attempts', 'audit_entries', 'calendar_feeds', 'code_secrets', 'complete_meeting_counts', 'deliveries', 'deployment',
  'directory_people', 'directory_requests', 'directory_tokens',
  'erased_seats', 'event_feeds', 'events', 'failure_counts', 'idempotency_keys', 'identities', 'import_places', 'imports',
  'instances', 'invitations', 'login_links', 'mails', 'meeting_clock', 'meeting_tombstones', 'meetings',
  'memberships', 'organizations', 'passkeys', 'password_resets', 'platform_numbers', 'pruned_tombstones', 'recovery_codes', 'registrations',
  'secret_key', 'secret_key_uses', 'service_meeting_organizations', 'sessions', 'setup_links', 'sign_on', 'tied_meeting_counts', 'users',
  'waitlist_entries', 'webhook_outcomes', 'webhooks',
];

/** The same as a list of SQL. */
export const ownTablesText = ownTables.map((name) => `'${name}'`).join(', ');
