import type { NewAuditEntry } from '../access/ports/audit-trail.js';
import { noon } from './noon.js';

/** An entry of organization 1, by the command line. */
export function anAuditEntry(fields: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    organizationId: 1,
    at: noon,
    actor: { who: { kind: 'command-line' }, from: null },
    action: 'webhook-tested',
    subject: null,
    ...fields,
  };
}
