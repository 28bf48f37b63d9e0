import type { Knex } from 'knex';

/** Adds the `idp_id` that the member gets on acceptance. It is unique among an organization's pending invitations. */
const statements = [
  'ALTER TABLE invitations ADD COLUMN idp_id TEXT',
  `CREATE UNIQUE INDEX pending_idp_ids ON invitations (organization_id, idp_id)
    WHERE idp_id IS NOT NULL AND accepted_at IS NULL AND revoked_at IS NULL`,
  'CREATE INDEX invitations_by_email ON invitations (organization_id, email, created_at)',
];

export async function up(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
