import type { Uses } from '../deps.js';
import { Refusal } from '../errors.js';
import { mayBeId } from '../values/ids.js';
import { checkTimeZone } from '../values/time-zone.js';
import { type Acting, checkActor } from './actor.js';
import { auditEntries } from './audit-entries.js';
import type { OfOrganization } from './of-organization.js';
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
  if (!mayBeId('organization.id', organizationId)) throw notFound(organizationId);
  const timeZone = requested === null ? null : checkTimeZone(requested);
  const at = clock.now();
  const changed = await organizations.setTimeZone({ organizationId, timeZone, replaces }, () =>
    auditEntries({ by, at }, { organizationId, action: 'time-zone-set', subject: timeZone }),
  );
  if (changed === 'outdated') throw outdated(await organizations.byId(organizationId), organizationId);
  if (changed === null) throw notFound(organizationId);
  return changed;
}

function outdated(current: Organization | null, organizationId: number): Refusal {
  if (current === null) return notFound(organizationId);
  const message = `was changed to ${current.timeZone ?? 'that of the service'} in the meantime`;
  return new Refusal('invalid-request', [{ field: 'timeZone', code: 'outdated', message }]);
}

function notFound(organizationId: number): Refusal {
  return new Refusal('organization-not-found', `There is no organization ${organizationId}`);
}
