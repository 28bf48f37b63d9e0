import { anOrganization, aUser } from '../dataset.js';
import type { ContractTest } from '../expect.js';
import { type MakeTest, type StartStorage, storageTest } from '../start-storage.js';
import { currentTests } from './invitations/current.js';
import { findOrCreatePendingTests } from './invitations/find-or-create-pending.js';
import { idpIdTests } from './invitations/idp-ids.js';
import { listTests } from './invitations/list.js';
import { renewTests } from './invitations/renew.js';
import { revokeTests } from './invitations/revoke.js';

/** The promises of `Invitations`. */
export function invitationsSuite(start: StartStorage): readonly ContractTest[] {
  const test: MakeTest = (name, work) =>
    storageTest(start, `Invitations: ${name}`, async (started) => {
      await started.load({
        organizations: [anOrganization(1), anOrganization(2)],
        users: [aUser(1), aUser(2)],
      });
      await work(started);
    });
  const testWithAdmin: MakeTest = (name, work) =>
    test(name, async (started) => {
      await started.load({
        memberships: [{ organizationId: 2, userId: 1, role: 'admin', idpId: 'idp-1' }],
      });
      await work(started);
    });
  return [
    ...findOrCreatePendingTests(testWithAdmin),
    ...idpIdTests(test),
    ...listTests(test),
    ...currentTests(test),
    ...revokeTests(test),
    ...renewTests(test),
  ];
}
