import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startPostgresDatabase } from '../support/postgres.js';

const guide = readFileSync(fileURLToPath(new URL('../../../contracts/scale.md', import.meta.url)), 'utf8');

/** Tables of the installation itself, small and the same on every node. */
const OF_THE_INSTALLATION =
  /^(?:organizations|deployment|failure_counts|import_places|imports|instances|rollcall_migrations(?:_lock)?|meeting_clock|secret_key|secret_key_uses)$/;

interface Table {
  readonly name: string;
  /** Whether each key has the column `organization_id`. */
  readonly is_keyed: boolean;
  /** Whether the column exists and is never null. */
  readonly has_organization: boolean | null;
}

describe('The list of what partitions by organization would change', () => {
  let postgres: Awaited<ReturnType<typeof startPostgresDatabase>>;
  before(async () => {
    postgres = await startPostgresDatabase();
  });
  after(() => postgres.stop());

  /** The names of the tables in the rows whose second column matches. */
  function listed(now: RegExp): readonly string[] {
    const rows = guide.split('## Partitions by organization')[1]?.split('\n') ?? [];
    return rows
      .filter((row) => now.test(row.split(' | ')[1] ?? ''))
      .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
      .sort();
  }

  test('names each table once, and says truly which have the organization in every key and which have none', async () => {
    const tables = await postgres.database.read.all<Table>(
      `SELECT classes.relname AS name,
        (SELECT bool_and(EXISTS (
            SELECT 1 FROM pg_attribute WHERE attrelid = keys.indrelid AND attnum = ANY (keys.indkey)
              AND attname = 'organization_id'
          )) FROM pg_index AS keys WHERE indrelid = classes.oid AND indisunique) AS is_keyed,
        (SELECT attnotnull FROM pg_attribute WHERE attrelid = classes.oid AND attname = 'organization_id')
          AS has_organization
      FROM pg_class AS classes WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    const own = tables.filter(({ name }) => !OF_THE_INSTALLATION.test(name));
    const names = (of: readonly Table[]) => of.map(({ name }) => name).sort();
    assert.deepEqual(listed(/./), names(own));
    assert.deepEqual(listed(/^the organization is in the key$/), names(own.filter((one) => one.is_keyed)));
    assert.deepEqual(
      listed(/no organization for/),
      names(own.filter((one) => one.has_organization === false)),
    );
    assert.deepEqual(
      listed(/^found by|^a user belongs/),
      names(own.filter((one) => one.has_organization === null)),
    );
  });
});
