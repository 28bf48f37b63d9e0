import type { CurrentSignOn } from '@rollcall/core';
import { Banner } from '../design/components.js';
import { Day, dayOf } from '../design/times.js';
import { paths } from '../paths.js';
import type { PartProps } from '../visit.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const WARNED_BEFORE_MS = 30 * DAY_MS;

/** Without a new secret, nobody can sign on from that day on. */
export function SecretWarning({
  visit,
  signOn: { secretExpiresOn: day, isOn, asOf },
}: PartProps<{ signOn: CurrentSignOn }>) {
  const { organization, zone } = visit;
  const isSoon = day !== null && day <= dayOf(new Date(asOf.getTime() + WARNED_BEFORE_MS), zone);
  if (!isOn || !isSoon) return null;
  const isOver = day < dayOf(asOf, zone);
  return (
    <Banner tone="warning">
      The client secret of sign-on {isOver ? 'expired' : 'expires'} on <Day day={day} />. Make a new one at
      your identity provider, and <a href={paths.signOn(organization.id)}>save it here</a>.
    </Banner>
  );
}
