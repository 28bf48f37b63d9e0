import { aMembership, anOrganization, aUser } from '../dataset.js';
import type { ContractTest } from '../expect.js';
import { type StartStorage, storageTests } from '../start-storage.js';
import { currentTests } from './invitations/current.js';
import { expiryTests, roleTests } from './invitations/expiry.js';
import { findOrCreatePendingTests } from './invitations/find-or-create-pending.js';
import { idpIdTests } from './invitations/idp-ids.js';
import { listTests } from './invitations/list.js';
import { renewTests } from './invitations/renew.js';
import { revokeTests } from './invitations/revoke.js';

/** The promises of `Invitations`. */
export function invitationsSuite(start: StartStorage): readonly ContractTest[] {
  const test = storageTests(start, 'Invitations', (storage) =>
    storage.load({
      organizations: [anOrganization(1), anOrganization(2)],
      users: [aUser(1), aUser(2)],
      memberships: [aMembership(1, { organizationId: 2, role: 'admin', idpId: 'idp-1' })],
    }),
  );
  return [
    ...findOrCreatePendingTests(test),
    ...idpIdTests(test),
    ...listTests(test),
    ...currentTests(test),
    ...revokeTests(test),
    ...renewTests(test),
    ...expiryTests(test),
    ...roleTests(test),
  ];
}
