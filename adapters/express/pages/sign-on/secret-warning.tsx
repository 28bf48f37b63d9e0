import type { CurrentSignOn } from '@rollcall/core';
import { Banner } from '../design/components.js';
import { Day, dayOf } from '../design/times.js';
import { paths } from '../paths.js';
import type { MemberVisit } from '../visit.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const WARNED_BEFORE_MS = 30 * DAY_MS;

interface SecretWarningProps {
  readonly visit: MemberVisit;
  readonly signOn: CurrentSignOn;
}

/** Without a new secret, nobody can sign on from that day on. */
export function SecretWarning({ visit, signOn: { secretExpiresOn: day, isOn, asOf } }: SecretWarningProps) {
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
