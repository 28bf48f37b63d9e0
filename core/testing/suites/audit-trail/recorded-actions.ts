import type { BuildAuditEntries } from '../../../access/ports/audit-trail.js';
import type { StoragePorts } from '../../../ports.js';
import type { Webhook } from '../../../webhooks/ports/webhooks.js';
import { testUuid } from '../../dataset.js';
import { aNewInvitation } from '../../new-invitation.js';
import { at, link, type Prepared } from './prepared-storage.js';

type AnyBuildEntries = () => ReturnType<BuildAuditEntries<unknown>>;

export interface RecordedAction {
  readonly name: string;
  act(storage: StoragePorts, prepared: Prepared, buildEntries: AnyBuildEntries): Promise<unknown>;
  /** Whether the action has been done. */
  done(storage: StoragePorts, prepared: Prepared): Promise<boolean>;
}

const settings: Omit<Webhook, 'id' | 'organizationId'> = {
  url: null,
  enabled: false,
  events: [],
  encryptedSecret: 'sealed',
  previousSecret: null,
  createdAt: at,
  updatedAt: at,
};

export const recordedActions: readonly RecordedAction[] = [
  {
    name: 'create of organizations',
    act: ({ organizations }, _, buildEntries) =>
      organizations.create({ name: 'Fabrikam', eap: false }, buildEntries),
    done: async ({ organizations }) =>
      (await organizations.list()).some((organization) => organization.name === 'Fabrikam'),
  },
  {
    name: 'replaceAccessKey',
    act: ({ organizations }, _, buildEntries) =>
      organizations.replaceAccessKey({ organizationId: 1, hash: 'hash', at }, buildEntries),
    done: async ({ organizations }) => (await organizations.byAccessKeyHash(['hash'])) !== null,
  },
  {
    name: 'setTimeZone',
    act: ({ organizations }, _, buildEntries) =>
      organizations.setTimeZone({ organizationId: 1, timeZone: 'Europe/Berlin' }, buildEntries),
    done: async ({ organizations }) => (await organizations.byId(1))?.timeZone === 'Europe/Berlin',
  },
  {
    name: 'rename',
    act: ({ organizations }, _, buildEntries) =>
      organizations.rename({ organizationId: 1, name: 'Fabrikam' }, buildEntries),
    done: async ({ organizations }) => (await organizations.byId(1))?.name === 'Fabrikam',
  },
  {
    name: 'register',
    act: ({ members }, _, buildEntries) =>
      members.register(
        {
          organizationId: 1,
          user: { id: 3 },
          uuid: null,
          role: 'admin',
          idpId: null,
          invitationId: null,
          at,
        },
        () => null,
        buildEntries,
      ),
    done: async ({ members }) => (await members.byUserId({ organizationId: 1, userId: 3 })) !== null,
  },
  {
    name: 'changeRole',
    act: ({ members }, _, buildEntries) =>
      members.changeRole({ organizationId: 1, userId: 2, role: 'admin' }, buildEntries),
    done: async ({ members }) => (await members.byUserId({ organizationId: 1, userId: 2 }))?.role === 'admin',
  },
  {
    name: 'setIdpId',
    act: ({ members }, _, buildEntries) =>
      members.setIdpId({ organizationId: 1, userId: 2, idpId: 'idp-2' }, buildEntries),
    done: async ({ members }) =>
      (await members.byUserId({ organizationId: 1, userId: 2 }))?.idpId === 'idp-2',
  },
  {
    name: 'remove',
    act: ({ members }, _, buildEntries) => members.remove({ organizationId: 1, userId: 2, at }, buildEntries),
    done: async ({ members }) => (await members.byUserId({ organizationId: 1, userId: 2 })) === null,
  },
  {
    name: 'findOrCreatePending',
    act: ({ invitations }, _, buildEntries) =>
      invitations.findOrCreatePending(aNewInvitation(2, at), buildEntries),
    done: async ({ invitations }) => (await invitations.byId(aNewInvitation(2, at).id)) !== null,
  },
  {
    name: 'revoke',
    act: ({ invitations }, { invitationId }, buildEntries) =>
      invitations.revoke({ organizationId: 1, invitationId, at }, buildEntries),
    done: async ({ invitations }, { invitationId }) =>
      (await invitations.byId(invitationId))?.revokedAt !== null,
  },
  {
    name: 'renew',
    act: ({ invitations }, { invitationId }, buildEntries) =>
      invitations.renew(
        {
          organizationId: 1,
          invitationId,
          retiredUuid: testUuid(2999),
          fresh: { id: aNewInvitation(3, at).id, keyId: 'key', createdAt: at, invitedBy: null },
        },
        buildEntries,
      ),
    done: async ({ invitations }) => (await invitations.byId(aNewInvitation(3, at).id)) !== null,
  },
  {
    name: 'configure',
    act: ({ webhooks }, _, buildEntries) => webhooks.configure(1, () => settings, buildEntries),
    done: async ({ webhooks }) => (await webhooks.of(1)) !== null,
  },
  {
    name: 'redeliver',
    act: ({ deliveries }, { deliveryId }, buildEntries) =>
      deliveries.redeliver({ organizationId: 1, deliveryId }, buildEntries),
    done: async ({ deliveries }, { deliveryId }) =>
      (await deliveries.find({ organizationId: 1, deliveryId }))?.state === 'pending',
  },
  {
    name: 'redeliverMatching',
    act: ({ deliveries }, _, buildEntries) =>
      deliveries.redeliverMatching({ organizationId: 1, states: ['failed'], since: at }, buildEntries),
    done: async ({ deliveries }, { deliveryId }) =>
      (await deliveries.find({ organizationId: 1, deliveryId }))?.state === 'pending',
  },
  {
    name: 'store',
    act: ({ loginLinks }, _, buildEntries) => loginLinks.store({ ...link, hash: 'other' }, buildEntries),
    done: async ({ loginLinks }) => (await loginLinks.find('other')) !== null,
  },
  {
    name: 'redeem',
    act: ({ loginLinks }, _, buildEntries) => loginLinks.redeem({ hash: 'link', at }, buildEntries),
    done: async ({ loginLinks }) => (await loginLinks.find('link'))?.redeemedAt?.getTime() === at.getTime(),
  },
  {
    name: 'end of sessions',
    act: ({ sessions }, _, buildEntries) => sessions.end('a session', buildEntries),
    done: async ({ sessions }) => (await sessions.find('a session')) === null,
  },
  {
    name: 'endOthers',
    act: ({ sessions }, _, buildEntries) => sessions.endOthers('another session', buildEntries),
    done: async ({ sessions }) => (await sessions.find('a session')) === null,
  },
  {
    name: 'endAll',
    act: ({ sessions }, _, buildEntries) => sessions.endAll({ userId: null }, buildEntries),
    done: async ({ sessions }) => (await sessions.find('a session')) === null,
  },
];
