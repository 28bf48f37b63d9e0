import type { Uses } from '../deps.js';
import { csvLine } from '../values/csv.js';
import { csvChunks, ROWS_PER_CHUNK } from '../values/csv-chunks.js';
import { checkId } from '../values/ids.js';
import { type ActivitySelection, auditFilters } from './activity-selection.js';
import type { OfOrganization } from './of-organization.js';
import type { AuditEntry } from './ports/audit-trail.js';

/** The request of `exportActivity`. */
export interface ExportActivity extends OfOrganization, ActivitySelection {
  /** What an entry says, for people. */
  readonly describe: (entry: AuditEntry) => EntryTexts;
}

/** An entry in words. */
export interface EntryTexts {
  /** The actor, if it is not a user of the service. */
  readonly actor: string;
  /** What was done. */
  readonly what: string;
  /** To what it was done, and what changed from what; null: nothing more. */
  readonly details: string | null;
}

const LABELS = ['Time', 'Who', 'Email', 'IP address', 'What', 'Details', 'Person'];

/**
 * Exports who did what in the organization as CSV, newest first: UTF-8 with a byte order mark, a header, and a line with
 * CRLF for each entry. No text in it is run as a formula.
 *
 * @throws as `listActivity` does.
 */
export async function exportActivity(
  { auditTrail }: Uses<'auditTrail.listAfter'>,
  { organization, describe, ...selection }: ExportActivity,
): Promise<{ readonly chunks: AsyncIterable<Uint8Array> }> {
  const organizationId = checkId('organization.id', organization.id);
  const query = { organizationId, ...auditFilters(selection), limit: ROWS_PER_CHUNK };
  const read = (after: AuditEntry | null) => auditTrail.listAfter({ ...query, after });
  const linesOf = (entries: readonly AuditEntry[]) =>
    entries.map((entry) => lineOf(entry, describe(entry))).join('');
  return { chunks: csvChunks(LABELS, await read(null), { linesOf, readAfter: read }) };
}

function lineOf({ at, actor, user, about }: AuditEntry, texts: EntryTexts): string {
  const nameOf = (person: AuditEntry['user']) => person && `${person.firstName} ${person.lastName}`;
  return csvLine([
    ...[at, nameOf(user) ?? texts.actor, user?.email ?? null, actor.from],
    ...[texts.what, texts.details, nameOf(about)],
  ]);
}
