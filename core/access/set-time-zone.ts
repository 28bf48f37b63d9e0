import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { isId } from '../values/ids.js';
import { checkTimeZone } from '../values/time-zone.js';
import { type Acting, checkActor } from './actor.js';
import { auditEntries } from './audit-entries.js';
import type { OfOrganization } from './of-organization.js';
import type { Organization } from './ports/organizations.js';

/** The request of `setTimeZone`. */
export interface SetTimeZone extends OfOrganization, Acting {
  /** An IANA name; null: use the service's zone. */
  readonly timeZone: string | null;
}

/**
 * Sets the time zone for the presets of exports.
 *
 * @throws `Refusal`: `invalid-request` if the runtime does not know the zone, `organization-not-found`.
 */
export async function setTimeZone(
  { organizations, clock }: Uses<'clock.now' | 'organizations.setTimeZone'>,
  { organization: { id: organizationId }, timeZone: requested, by }: SetTimeZone,
): Promise<Organization> {
  checkActor(by);
  if (!isId(organizationId)) throw notFound(organizationId);
  const timeZone = requested === null ? null : checkTimeZone(requested);
  const at = clock.now();
  const changed = await organizations.setTimeZone({ organizationId, timeZone }, () =>
    auditEntries({ by, at }, { organizationId, action: 'time-zone-set', subject: timeZone }),
  );
  if (changed === null) throw notFound(organizationId);
  return changed;
}

function notFound(organizationId: number): Refusal {
  return new Refusal('organization-not-found', `There is no organization ${organizationId}`);
}
