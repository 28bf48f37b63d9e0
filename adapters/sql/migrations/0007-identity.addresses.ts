import type { Knex } from 'knex';

export interface Addresses {
  /** Users after an id, at most so many, whose address is not ASCII. */
  readonly users: string;
  /** Pending invitations to such addresses. */
  readonly invitations: string;
  /** The rows of what the engine's driver answers. */
  readonly rows: (answer: unknown) => readonly Stored[];
}

interface Stored {
  readonly id: number | string;
  readonly email: string;
  readonly organization_id?: number;
}

const PAGE = 1_000;

/** Brings stored addresses to the one form; who would then have the address of another one keeps theirs. */
export async function normalizeAddresses(knex: Knex, { users, invitations, rows }: Addresses): Promise<void> {
  for (let after: number | string = 0; ; ) {
    const page = rows(await knex.raw(users, [after, PAGE]));
    for (const { id, email } of page) {
      const normal = normalized(email);
      if (normal === email) continue;
      await knex.raw(
        'UPDATE users SET email = ? WHERE id = ? AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.email = ?)',
        [normal, id, normal],
      );
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  for (const { id, email, organization_id = 0 } of rows(await knex.raw(invitations))) {
    const normal = normalized(email);
    if (normal === email) continue;
    await knex.raw(
      `UPDATE invitations SET email = ? WHERE id = ? AND NOT EXISTS (
        SELECT 1 FROM invitations AS other WHERE other.organization_id = ? AND other.email = ?
          AND other.accepted_at IS NULL AND other.revoked_at IS NULL
      )`,
      [normal, id, organization_id, normal],
    );
  }
}

function normalized(email: string): string {
  return email.normalize('NFC').toLowerCase().normalize('NFC');
}
