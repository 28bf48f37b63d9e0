import type { Uses } from '../deps.js';
import { mayBeId } from '../values/ids.js';
import { checkTimeZone } from '../values/time-zone.js';
import { type Acting, checkActor } from './acting.js';
import { auditEntries } from './audit-entries.js';
import { changedOrganization } from './changed-or-outdated.js';
import type { OfOrganization } from './of-organization.js';
import { noSuchOrganization } from './organization-not-found.js';
import type { Organization } from './ports/organizations.js';

/** The request of `setTimeZone`. */
export interface SetTimeZone extends OfOrganization, Acting {
  /** An IANA name; null: use the service's zone. */
  readonly timeZone: string | null;
  /** The zone that the caller has seen; null: none. Refused if the organization has another one by now. Left out: any. */
  readonly replaces?: string | null | undefined;
}

/**
 * Sets the time zone for the presets of exports.
 *
 * @throws `Refusal`: `invalid-request` if the runtime does not know the zone, or if the organization has neither
 * `replaces` nor already `timeZone`; `organization-not-found`.
 */
export async function setTimeZone(
  { organizations, clock }: Uses<'clock.now' | 'organizations.byId' | 'organizations.setTimeZone'>,
  { organization: { id: organizationId }, timeZone: requested, replaces, by }: SetTimeZone,
): Promise<Organization> {
  checkActor(by);
  if (!mayBeId('organization.id', organizationId)) throw noSuchOrganization(organizationId);
  const timeZone = requested === null ? null : checkTimeZone(requested);
  const at = clock.now();
  const outcome = await organizations.setTimeZone({ organizationId, timeZone, replaces }, ({ before }) => {
    const [from, to] = [before.timeZone ?? 'default', timeZone ?? 'default'];
    const subject = from === to ? to : `${from} → ${to}`;
    return auditEntries({ by, at }, { organizationId, action: 'time-zone-set', subject });
  });
  const current = (organization: Organization) => organization.timeZone ?? 'that of the service';
  return changedOrganization({ organizations }, { organizationId, outcome, field: 'timeZone', current });
}
