import type { Uses } from '../deps.js';
import { type ExportFormat, exportForms } from '../meetings/export-columns.js';
import { checkId } from '../values/ids.js';
import { checkOneOf } from '../values/one-of.js';
import { type Acting, checkActor } from './acting.js';
import { auditEntries } from './audit-entries.js';
import type { OfOrganization } from './of-organization.js';
import type { AuditAction } from './ports/audit-trail.js';

/** The request of `recordExport`. */
export type RecordExport = OfOrganization & Acting & (MeetingsDownload | ListDownload);

/** A download of meetings. */
export interface MeetingsDownload {
  /** The form of the file. */
  readonly form: ExportFormat;
}

/** A download of a list, as CSV. */
export interface ListDownload {
  /** Which list it is. */
  readonly list: keyof typeof listActions;
  /** How many lines the file has, without the header. */
  readonly rows: number;
}

const listActions = {
  people: 'people-exported',
  invitations: 'invitations-exported',
  activity: 'activity-exported',
} as const;

/**
 * Records in the audit trail that a person has downloaded an export or a list. Call it before the first bytes leave.
 * Exports of programs, which may be many a day, are not recorded.
 *
 * @throws `TypeError` if `organization.id` is not an id, or `form` or `list` is unknown.
 */
export async function recordExport(
  { auditTrail, clock }: Uses<'auditTrail.record' | 'clock.now'>,
  { organization, by, ...download }: RecordExport,
): Promise<void> {
  checkActor(by);
  const recorded = 'list' in download ? listEntry(download) : meetingsEntry(download);
  const organizationId = checkId('organization.id', organization.id);
  const entries = auditEntries({ by, at: clock.now() }, { organizationId, ...recorded });
  for (const entry of entries) await auditTrail.record(entry);
}

interface Recorded {
  readonly action: AuditAction;
  readonly subject: string;
}

function meetingsEntry({ form }: MeetingsDownload): Recorded {
  checkOneOf('form', exportForms, form);
  return { action: 'meetings-exported', subject: form };
}

function listEntry({ list, rows }: ListDownload): Recorded {
  checkOneOf('list', Object.keys(listActions) as (keyof typeof listActions)[], list);
  return { action: listActions[list], subject: `${rows} ${rows === 1 ? 'row' : 'rows'}` };
}
