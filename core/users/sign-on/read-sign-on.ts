import type { OfOrganization } from '../../access/of-organization.js';
import type { Uses } from '../../deps.js';
import { checkId } from '../../values/ids.js';
import { type SignOnView, signOnView } from './sign-on.js';

/** The request of `readSignOn`. */
export type ReadSignOn = OfOrganization;

/** The settings as they are now. */
export interface CurrentSignOn extends SignOnView {
  /** When they were read. */
  readonly asOf: Date;
}

/** The settings of sign-on, without the client secret; null: there are none. */
export async function readSignOn(
  { signOns, clock }: Uses<'clock.now' | 'signOns.of'>,
  { organization }: ReadSignOn,
): Promise<CurrentSignOn | null> {
  const signOn = await signOns.of(checkId('organization.id', organization.id));
  return signOn && { ...signOnView(signOn), asOf: clock.now() };
}
