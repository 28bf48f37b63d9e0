import { type Acting, checkActor } from '../../access/acting.js';
import { auditEntries } from '../../access/audit-entries.js';
import type { OfOrganization } from '../../access/of-organization.js';
import { organizationNotFound } from '../../access/organization-not-found.js';
import { sessionBound } from '../../access/password-sign-in-required.js';
import type { Uses } from '../../deps.js';
import { Refusal } from '../../errors.js';
import { mayBeId } from '../../values/ids.js';
import { refuseAny } from '../../values/problems.js';
import { Secret } from '../../values/secret.js';
import type { SignOn, SignOnSettings } from '../ports/sign-ons.js';
import { type SignOnView, signOnView } from './sign-on.js';
import { isLeftOut, type RequestedSignOn, signOnProblems } from './sign-on-problems.js';

/** The request of `saveSignOn`. */
export interface SaveSignOn extends OfOrganization, Acting {
  /** As received; all mistakes are reported together. */
  readonly signOn: RequestedSignOn;
  /**
   * The `changedAt` that the caller has seen; null: there were no settings. Refused if they have changed since. Left out:
   * any.
   */
  readonly unchangedSince?: Date | null | undefined;
}

/**
 * Creates or changes the settings of sign-on. New ones are off. A change of anything that the provider checks asks for a
 * new trial; with another issuer or client, sign-on is no longer required until then. With another issuer, the identities
 * of all members end.
 *
 * @throws `Refusal`: `invalid-request` with every problem, `sign-on-outdated`, `organization-not-found`; `session-bound` for a
 * set-up link if sign-on would be required no longer.
 */
export async function saveSignOn(
  { signOns, secrets, clock }: Uses<'clock.now' | 'secrets.encrypt' | 'signOns.save'>,
  { organization: { id: organizationId }, signOn: requested, unchangedSince, by }: SaveSignOn,
): Promise<SignOnView> {
  checkActor(by);
  if (!mayBeId('organization.id', organizationId))
    throw organizationNotFound('organization.id', organizationId);
  const at = clock.now();
  let before: SignOn | null = null;
  const decide = (current: SignOn | null): SignOnSettings => {
    before = current;
    if (unchangedSince !== undefined && current?.changedAt.getTime() !== unchangedSince?.getTime())
      throw new Refusal('sign-on-outdated', 'The settings have changed since; nothing was changed');
    refuseAny(signOnProblems(requested, { hasSecret: current !== null }));
    const newSecret = isLeftOut(requested.clientSecret) ? null : new Secret(String(requested.clientSecret));
    const encryptedSecret =
      newSecret === null
        ? (current as SignOn).encryptedSecret
        : secrets.encrypt({ secret: newSecret, organizationId });
    const settings = settled({ ...read(requested), encryptedSecret, changedAt: at }, current);
    const isDropped = current?.isRequired === true && !settings.isRequired;
    if (isDropped && by?.who.kind === 'setup-link') throw sessionBound('setup-link');
    return settings;
  };
  const saved = await signOns.save(organizationId, decide, (stored) => {
    const subject = changeOf(before, stored);
    return auditEntries({ by, at }, { organizationId, action: 'sign-on-configured', subject });
  });
  if (saved === null) throw organizationNotFound('organization.id', organizationId);
  return signOnView(saved);
}

type Connection = Omit<SignOnSettings, 'isOn' | 'isRequired' | 'tested'>;

/** Values that `signOnProblems` has accepted. */
function read(requested: RequestedSignOn): Omit<Connection, 'encryptedSecret' | 'changedAt'> {
  const orNull = (value: unknown): string | null => (isLeftOut(value) ? null : String(value));
  return {
    issuer: String(requested.issuer),
    clientId: String(requested.clientId),
    idClaim: String(requested.idClaim),
    hostedDomain: orNull(requested.hostedDomain)?.toLowerCase() ?? null,
    admits: requested.admits === 'anyone' ? 'anyone' : 'provisioned',
    acr: orNull(requested.acr),
    secretExpiresOn: orNull(requested.secretExpiresOn),
  };
}

/** The settings with what stays of the current ones. */
function settled(connection: Connection, current: SignOn | null): SignOnSettings {
  if (current === null) return { ...connection, isOn: false, isRequired: false, tested: null };
  const isSameClient = connection.issuer === current.issuer && connection.clientId === current.clientId;
  const isTested =
    isSameClient &&
    connection.encryptedSecret === current.encryptedSecret &&
    connection.idClaim === current.idClaim &&
    connection.hostedDomain === current.hostedDomain &&
    connection.acr === current.acr;
  return {
    ...connection,
    isOn: current.isOn,
    isRequired: current.isRequired && isSameClient,
    tested: isTested ? current.tested : null,
  };
}

/** The provider, and what changed, without anything secret. */
function changeOf(before: SignOn | null, after: SignOn): string {
  const host = (signOn: SignOn): string => new URL(signOn.issuer).host;
  if (before === null) return host(after);
  const changes = [
    before.issuer === after.issuer ? [] : 'another issuer, all identities ended',
    before.clientId === after.clientId ? [] : 'another client',
    before.encryptedSecret === after.encryptedSecret ? [] : 'another client secret',
    before.idClaim === after.idClaim ? [] : `ID from ${after.idClaim}`,
    before.hostedDomain === after.hostedDomain ? [] : `domain ${after.hostedDomain ?? 'none'}`,
    before.admits === after.admits ? [] : `admits ${after.admits}`,
    before.acr === after.acr ? [] : `context ${after.acr ?? 'any'}`,
    before.isRequired === after.isRequired ? [] : 'no longer required',
  ].flat();
  return [host(after), ...changes].join(', ');
}
