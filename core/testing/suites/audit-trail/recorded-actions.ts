import type { Journal } from '../../../access/ports/journal.js';
import type { StoragePorts } from '../../../ports.js';
import type { Webhook } from '../../../webhooks/ports/webhooks.js';
import { testUuid } from '../../dataset.js';
import { aNewPerson, changeOf, instead, uuidOf } from '../../new-directory-person.js';
import { anInvitation, idOf } from '../../new-invitation.js';
import { aNewMember } from '../../new-member.js';
import { addedBy, aPasskey } from '../../new-second-factor.js';
import { anIdentity, aSignOn } from '../../new-sign-on.js';
import { noon } from '../../noon.js';
import { directoryToken, link, type Prepared } from './prepared-storage.js';

type AnyJournal = () => ReturnType<Journal<unknown>>;

export interface RecordedAction {
  act(storage: StoragePorts, prepared: Prepared, journal: AnyJournal): Promise<unknown>;
  /** Whether the action has been done. */
  done(storage: StoragePorts, prepared: Prepared): Promise<boolean>;
}

const settings: Omit<Webhook, 'id' | 'organizationId'> = {
  url: null,
  enabled: false,
  events: [],
  encryptedSecret: 'sealed',
  previousSecret: null,
  createdAt: noon,
  updatedAt: noon,
};

/** By the name of the method. */
export const recordedActions: Readonly<Record<string, RecordedAction>> = {
  'create of organizations': {
    act: ({ organizations }, _, journal) => organizations.create({ name: 'Fabrikam', eap: false }, journal),
    done: async ({ organizations }) =>
      (await organizations.list()).some((organization) => organization.name === 'Fabrikam'),
  },
  replaceAccessKey: {
    act: ({ organizations }, _, journal) =>
      organizations.replaceAccessKey({ organizationId: 1, hash: 'hash', at: noon }, journal),
    done: async ({ organizations }) => (await organizations.byAccessKeyHash(['hash'])) !== null,
  },
  setTimeZone: {
    act: ({ organizations }, _, journal) =>
      organizations.setTimeZone({ organizationId: 1, timeZone: 'Europe/Berlin' }, journal),
    done: async ({ organizations }) => (await organizations.byId(1))?.timeZone === 'Europe/Berlin',
  },
  rename: {
    act: ({ organizations }, _, journal) =>
      organizations.rename({ organizationId: 1, name: 'Fabrikam' }, journal),
    done: async ({ organizations }) => (await organizations.byId(1))?.name === 'Fabrikam',
  },
  register: {
    act: ({ members }, _, journal) => members.register(aNewMember({ id: 3 }, { role: 'admin' }), journal),
    done: async ({ members }) => (await members.byUserId({ organizationId: 1, userId: 3 })) !== null,
  },
  changeRole: {
    act: ({ members }, _, journal) =>
      members.changeRole({ organizationId: 1, userId: 2, role: 'admin' }, journal),
    done: async ({ members }) => (await members.byUserId({ organizationId: 1, userId: 2 }))?.role === 'admin',
  },
  setIdpId: {
    act: ({ members }, _, journal) =>
      members.setIdpId({ organizationId: 1, userId: 2, idpId: 'idp-2' }, journal),
    done: async ({ members }) =>
      (await members.byUserId({ organizationId: 1, userId: 2 }))?.idpId === 'idp-2',
  },
  remove: {
    act: ({ members }, _, journal) => members.remove({ organizationId: 1, userId: 2, at: noon }, journal),
    done: async ({ members }) => (await members.byUserId({ organizationId: 1, userId: 2 })) === null,
  },
  findOrCreatePending: {
    act: ({ invitations }, _, journal) => invitations.findOrCreatePending(anInvitation(2), journal),
    done: async ({ invitations }) => (await invitations.byId(idOf(2))) !== null,
  },
  revoke: {
    act: ({ invitations }, { invitationId }, journal) =>
      invitations.revoke({ organizationId: 1, invitationId, at: noon }, journal),
    done: async ({ invitations }, { invitationId }) =>
      (await invitations.byId(invitationId))?.revokedAt !== null,
  },
  renew: {
    act: ({ invitations }, { invitationId }, journal) =>
      invitations.renew(
        {
          organizationId: 1,
          invitationId,
          retiredUuid: testUuid(2999),
          fresh: { id: idOf(3), keyId: 'key', createdAt: noon, invitedBy: null },
        },
        journal,
      ),
    done: async ({ invitations }) => (await invitations.byId(idOf(3))) !== null,
  },
  configure: {
    act: ({ webhooks }, _, journal) => webhooks.configure(1, () => settings, journal),
    done: async ({ webhooks }) => (await webhooks.of(1))?.enabled === false,
  },
  redeliver: {
    act: ({ deliveries }, { deliveryId }, journal) =>
      deliveries.redeliver({ organizationId: 1, deliveryId }, journal),
    done: async ({ deliveries }, { deliveryId }) =>
      (await deliveries.find({ organizationId: 1, deliveryId }))?.state === 'pending',
  },
  redeliverMatching: {
    act: ({ deliveries }, _, journal) =>
      deliveries.redeliverMatching({ organizationId: 1, states: ['failed'], since: noon }, journal),
    done: async ({ deliveries }, { deliveryId }) =>
      (await deliveries.find({ organizationId: 1, deliveryId }))?.state === 'pending',
  },
  store: {
    act: ({ loginLinks }, _, journal) => loginLinks.store({ ...link, hash: 'other' }, journal),
    done: async ({ loginLinks }) => (await loginLinks.find('other')) !== null,
  },
  redeem: {
    act: ({ loginLinks }, _, journal) => loginLinks.redeem({ hash: 'link', at: noon }, journal),
    done: async ({ loginLinks }) => (await loginLinks.find('link'))?.redeemedAt?.getTime() === noon.getTime(),
  },
  'store of a set-up link': {
    act: ({ setupLinks }, _, journal) => setupLinks.store({ ...link, userId: 1, hash: 'other' }, journal),
    done: async ({ setupLinks }) => (await setupLinks.byHash('other')) !== null,
  },
  'open of a set-up link': {
    act: ({ setupLinks }, _, journal) => setupLinks.open({ hash: 'setup', at: noon }, journal),
    done: async ({ setupLinks }) => (await setupLinks.of(1))?.openedAt?.getTime() === noon.getTime(),
  },
  'end of a set-up link': {
    act: ({ setupLinks }, _, journal) => setupLinks.end(1, journal),
    done: async ({ setupLinks }) => (await setupLinks.of(1)) === null,
  },
  'save of sign-on': {
    act: ({ signOns }, _, journal) => signOns.save(1, () => aSignOn({ clientId: 'other' }), journal),
    done: async ({ signOns }) => (await signOns.of(1))?.clientId === 'other',
  },
  'remove of sign-on': {
    act: ({ signOns }, _, journal) => signOns.remove(1, journal),
    done: async ({ signOns }) => (await signOns.of(1)) === null,
  },
  'link of identities': {
    act: ({ identities }, _, journal) => identities.link(anIdentity(2), journal),
    done: async ({ identities }) => (await identities.of({ organizationId: 1, userId: 2 })) !== null,
  },
  'unlink of identities': {
    act: ({ identities }, _, journal) => identities.unlink({ organizationId: 1, userId: 1 }, journal),
    done: async ({ identities }) => (await identities.of({ organizationId: 1, userId: 1 })) === null,
  },
  'create of directory': {
    act: ({ directory }, _, journal) => directory.create(aNewPerson(1), journal),
    done: async ({ directory }) => (await directory.byUuid({ organizationId: 1, uuid: uuidOf(1) })) !== null,
  },
  'change of directory': {
    act: ({ directory }, _, journal) =>
      directory.change(changeOf(1, { uuid: testUuid(2) }), instead({ displayName: 'x' }), journal),
    done: async ({ directory }) =>
      (await directory.byUuid({ organizationId: 1, uuid: testUuid(2) }))?.displayName === 'x',
  },
  'remove of directory': {
    act: ({ directory }, _, journal) => directory.remove(changeOf(1, { uuid: testUuid(2) }), journal),
    done: async ({ directory }) =>
      (await directory.byUuid({ organizationId: 1, uuid: testUuid(2) })) === null,
  },
  'add of directory tokens': {
    act: ({ directoryTokens }, _, journal) =>
      directoryTokens.add({ ...directoryToken, hash: 'another token' }, journal),
    done: async ({ directoryTokens }) => (await directoryTokens.byHash('another token')) !== null,
  },
  'end of directory tokens': {
    act: ({ directoryTokens }, _, journal) =>
      directoryTokens.end({ organizationId: 1, isOld: false }, journal),
    done: async ({ directoryTokens }) => (await directoryTokens.of(1)).length === 0,
  },
  'add of passkeys': {
    act: ({ secondFactors }, _, journal) =>
      secondFactors.addPasskey({ ...aPasskey(1), ...addedBy(1) }, journal),
    done: async ({ secondFactors }) => (await secondFactors.of(1)).passkeys.length === 1,
  },
  'confirmation of codes': {
    act: ({ secondFactors }, _, journal) =>
      secondFactors.confirmCode({ ...addedBy(2), encryptedSecret: 'waits', step: 1 }, journal),
    done: async ({ secondFactors }) => (await secondFactors.of(2)).code?.confirmedAt != null,
  },
  'removal of second factors': {
    act: ({ secondFactors }, _, journal) => secondFactors.remove({ userId: 1, factor: 'code' }, journal),
    done: async ({ secondFactors }) => (await secondFactors.of(1)).code === null,
  },
  'requirement of second factors': {
    act: ({ secondFactors }, _, journal) =>
      secondFactors.require({ organizationId: 1, isRequired: true, userId: 1 }, journal),
    done: ({ secondFactors }) => secondFactors.isRequired(1),
  },
  'end of sessions': {
    act: ({ sessions }, _, journal) => sessions.end('a session', journal),
    done: async ({ sessions }) => (await sessions.find('a session')) === null,
  },
  endOthers: {
    act: ({ sessions }, _, journal) => sessions.endOthers('another session', journal),
    done: async ({ sessions }) => (await sessions.find('a session')) === null,
  },
  endAll: {
    act: ({ sessions }, _, journal) => sessions.endAll({ userId: null }, journal),
    done: async ({ sessions }) => (await sessions.find('a session')) === null,
  },
};
