import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  type Actor,
  createCore,
  type Mail,
  type Mailer,
  type ProviderFailure,
  type ProviderIdentity,
  type SaveSignOn,
  Secret,
  type SecurityEvent,
  type SignOnSettings,
} from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';
import { aSignOn } from '#core/testing/new-sign-on.js';
import { answerTo, aPerson, issuer, scriptedProvider } from './scripted-provider.js';

export { answerTo, aPerson, issuer };

export const by: Actor = { who: { kind: 'user', userId: 1 }, from: '192.0.2.7' };
export const address = '192.0.2.9';
export const password = new Secret('correct horse');

/** Settings as a page receives them. */
export function aRequestedSignOn(fields: Partial<SaveSignOn['signOn']> = {}): SaveSignOn['signOn'] {
  return {
    issuer,
    clientId: 'rollcall',
    clientSecret: 'client-secret',
    idClaim: 'sub',
    hostedDomain: '',
    admits: 'provisioned',
    acr: '',
    secretExpiresOn: '',
    ...fields,
  };
}

/**
 * Users 1 to 3 are the owner, an admin and a member of organization 1, whose sign-on is on; user 3 owns organization 2, and
 * user 4 is in organization 2 only. Users 1 to 3 have a password.
 */
export async function startSignOn(settings: Partial<SignOnSettings> = {}) {
  const { provider, script, asked } = scriptedProvider();
  const security: SecurityEvent[] = [];
  const securityLog = { record: (event: SecurityEvent) => security.push(event) };
  const mails: Mail[] = [];
  const mailing: { outcome: 'sent' | 'failed' } = { outcome: 'sent' };
  const mailer: Mailer = {
    async send(mail) {
      mails.push(mail);
      return mailing.outcome === 'sent' ? { outcome: 'sent' } : { outcome: 'failed', reason: '' };
    },
  };
  const { ports, clock, load } = memoryPorts({
    ...{ identityProvider: provider, securityLog, mailer },
    // None is that of a user below.
    ids: { uuid: randomUUID },
  });
  await load({
    organizations: [anOrganization(1), anOrganization(2)],
    users: [aUser(1), aUser(2), aUser(3), aUser(4)],
    memberships: [
      { organizationId: 1, userId: 1, role: 'owner', idpId: null },
      { organizationId: 1, userId: 2, role: 'admin', idpId: 'idp-2' },
      { organizationId: 1, userId: 3, role: 'member', idpId: 'idp-3' },
      { organizationId: 2, userId: 3, role: 'owner', idpId: null },
      { organizationId: 2, userId: 4, role: 'member', idpId: 'idp-4' },
    ],
  });
  for (const userId of [1, 2, 3])
    await ports.users.setPasswordHash({ userId, hash: await ports.passwords.hash(password) });
  const links = {
    ...{ invitation: () => '', login: () => '', defaultAvatar: '' },
    ...{ passwordReset: () => '', webhook: () => '', activity: () => '' },
    signOn: (id: number) => `https://rollcall.example/${id}/callback`,
  };
  const core = createCore(ports, { links });
  const encryptedSecret = ports.secrets.encrypt({ secret: new Secret('client-secret'), organizationId: 1 });
  await ports.signOns.save(1, () => aSignOn({ encryptedSecret, ...settings }));

  const begin = async (triedBy: number | null = null) =>
    (await core.beginSignOn({ organizationId: 1, address, triedBy })).started;
  /** A whole sign-on of this person. */
  const signOn = async (person: ProviderIdentity | ProviderFailure) => {
    script.person = person;
    const started = await begin();
    return core.finishSignOn({
      organizationId: 1,
      started,
      query: answerTo(started),
      address,
      device: 'Safari',
    });
  };
  /** The session that a sign-on starts. */
  const signedIn = async (person: ProviderIdentity) => {
    const finished = await signOn(person);
    if (finished.kind !== 'signed-in') throw new Error(`the sign-on ended with ${finished.kind}`);
    return finished.session;
  };
  const linked = (userId: number) => ports.identities.of({ organizationId: 1, userId });
  const actions = async (): Promise<readonly (readonly [string, string | null])[]> => {
    const { items } = await core.listActivity({ organization: { id: 1 } });
    return items.map(({ action, subject }) => [action, subject]);
  };
  return {
    mails,
    mailing,
    core,
    ports,
    clock,
    load,
    script,
    asked,
    security,
    begin,
    signOn,
    signedIn,
    linked,
    actions,
  };
}

export type SignOnService = Awaited<ReturnType<typeof startSignOn>>;

/** A test with its own service. */
export function signOnTest(
  name: string,
  work: (service: SignOnService) => Promise<void>,
  settings: Partial<SignOnSettings> = {},
): void {
  test(name, async () => work(await startSignOn(settings)));
}
