import { type Acting, actorOf, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { OfOrganization } from '../../access/of-organization.js';
import { sessionBound } from '../../access/password-sign-in-required.js';
import type { Uses } from '../../deps.js';
import { refusal } from '../../errors.js';
import { mayBeId } from '../../values/ids.js';
import type { SignOn, SignOnSettings } from '../ports/sign-ons.js';
import { type SignOnView, signOnOff, signOnView } from './sign-on.js';

/** The request of `switchSignOn`. */
export interface SwitchSignOn extends OfOrganization, Acting {
  /**
   * `on`: people can sign on. `required`: the password also opens the organization for owners only. `off`: nobody can sign
   * on, and those who did are signed out.
   */
  readonly to: 'on' | 'required' | 'off';
}

/**
 * Turns sign-on on or off, or requires it. Only an owner whose own trial has passed with the current settings can require
 * it, so that wrong settings lock nobody out. A set-up link can turn it on, and no more. What is so already is
 * not a change.
 *
 * @throws `Refusal`: `sign-on-off` if there are no settings; `sign-on-untested`; `session-bound`.
 */
export async function switchSignOn(
  { signOns, clock }: Uses<'clock.now' | 'signOns.save'>,
  { organization: { id: organizationId }, to, by }: SwitchSignOn,
): Promise<SignOnView> {
  checkActor(by);
  if (!mayBeId('organization.id', organizationId)) throw signOnOff();
  const at = clock.now();
  const wanted = { isOn: to !== 'off', isRequired: to === 'required' };
  let isChanged = false;
  const decide = (current: SignOn | null): SignOnSettings => {
    if (current === null) throw signOnOff();
    isChanged = current.isOn !== wanted.isOn || current.isRequired !== wanted.isRequired;
    if (by?.who.kind === 'setup-link' && (to !== 'on' || current.isRequired))
      throw sessionBound('setup-link');
    if (isChanged && wanted.isRequired && !isTestedBy(current, { by })) throw untested();
    const { organizationId: _, ...settings } = current;
    return isChanged ? { ...settings, ...wanted, changedAt: at } : settings;
  };
  const saved = await signOns.save(organizationId, decide, () =>
    isChanged
      ? auditEntries({ by, at }, { organizationId, action: 'sign-on-configured', subject: changes[to] })
      : [],
  );
  if (saved === null) throw signOnOff();
  return signOnView(saved);
}

const changes: Readonly<Record<SwitchSignOn['to'], string>> = {
  on: 'turned on, not required',
  required: 'required',
  off: 'turned off',
};

function isTestedBy({ tested }: SignOn, acting: Acting): boolean {
  const { who } = actorOf(acting);
  return tested !== null && who.kind === 'user' && tested.by === who.userId;
}

const untested = refusal(
  'sign-on-untested',
  'Try it first: sign-on can be required once your own trial has passed',
);
