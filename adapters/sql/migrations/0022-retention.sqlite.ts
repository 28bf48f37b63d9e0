import type { Knex } from 'knex';

/** Indexes by which `prune` finds expired rows without reading those that stay, and invitations are found by `idp_id`. */
const statements = [
  'CREATE INDEX sessions_by_start ON sessions (opened_at)',
  'CREATE INDEX login_links_by_time ON login_links (created_at)',
  'CREATE INDEX ended_invitations ON invitations (coalesce(accepted_at, revoked_at))',
  'CREATE INDEX invitations_by_idp_id ON invitations (organization_id, idp_id, created_at, id)',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
