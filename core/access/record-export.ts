import type { Uses } from '../deps.js';
import { type ExportForm, exportForms } from '../meetings/export-columns.js';
import { checkId } from '../values/ids.js';
import { checkOneOf } from '../values/one-of.js';
import { type Acting, checkActor } from './actor.js';
import { auditEntries } from './audit-entries.js';
import type { OfOrganization } from './of-organization.js';

/** The request of `recordExport`. */
export interface RecordExport extends OfOrganization, Acting {
  /** The form of the file. */
  readonly form: ExportForm;
}

/**
 * Records in the audit trail that a person has downloaded an export. Call it before the first bytes leave. Exports of
 * programs, which may be many a day, are not recorded.
 *
 * @throws `TypeError` if `organization.id` is not an id or `form` is unknown.
 */
export async function recordExport(
  { auditTrail, clock }: Uses<'auditTrail.record' | 'clock.now'>,
  { organization, form, by }: RecordExport,
): Promise<void> {
  checkActor(by);
  checkOneOf('form', exportForms, form);
  const organizationId = checkId('organization.id', organization.id);
  const entries = auditEntries(
    { by, at: clock.now() },
    { organizationId, action: 'meetings-exported', subject: form },
  );
  for (const entry of entries) await auditTrail.record(entry);
}
