import type { Sql } from '../engine/database.js';
import { Misconfigured } from '../engine/misconfigured.js';
import { BASELINE, migrationNames } from './index.js';

/** The table of finished migrations. Knex's own names for it and for its lock are used by other applications too. */
export const RECORDS = 'rollcall_migrations';

export interface Records {
  readonly hasTable: (table: string) => Promise<boolean>;
  readonly all: (text: string) => Promise<readonly { readonly name: string }[]>;
}

/** `hasTable` finds a row if there is a table with the name. */
export function recordsOn(sql: Sql, hasTable: string): Records {
  return {
    hasTable: async (table) => (await sql.get(hasTable, [table])) !== undefined,
    all: (text) => sql.all(text),
  };
}

/** The names of the migrations that have not finished. */
export async function pendingIn(records: Records): Promise<readonly string[]> {
  const done = await namesOfDone(records);
  return migrationNames.filter((name) => !done.has(name));
}

/** The names of the finished migrations and steps. Throws `Misconfigured` for the database of a preview. */
export async function namesOfDone(records: Records): Promise<ReadonlySet<string>> {
  const done = await namesIn(RECORDS, records);
  if (done.has(BASELINE)) return done;
  if (done.size > 0 || (await isFirstPreview(records))) throw new Misconfigured(PREVIEW);
  return done;
}

const PREVIEW =
  'The database was made by a preview of Rollcall and cannot be upgraded: serve it with that preview, or start with an ' +
  'empty database, import your dataset ("rollcall import"), and set passwords, access keys and webhooks again.';

/** The first previews had their records in knex's table, possibly together with another application. */
async function isFirstPreview(records: Records): Promise<boolean> {
  const names = await namesIn('knex_migrations', records);
  return names.has('0001-schema') && (await records.hasTable('service_meeting_organizations'));
}

async function namesIn(table: string, { hasTable, all }: Records): Promise<ReadonlySet<string>> {
  if (!(await hasTable(table))) return new Set();
  return new Set((await all(`SELECT name FROM ${table}`)).map(({ name }) => name));
}
