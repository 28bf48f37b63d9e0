import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Core, createCore, type ExportMeetings, type Role } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts } from '@rollcall/core/testing';

const organization = {
  ...anOrganization(1),
  timeZone: null,
  accessKeyGeneration: 0,
  previousAccessKey: null,
};
const session = { user: aUser(1), boundTo: null };
const links = { invitation: () => '', login: () => '', defaultAvatar: '' };

/** Texts that the program itself chooses. `text` is one that is not allowed. */
const calls: Readonly<Record<string, (core: Core, text: never) => Promise<unknown>>> = {
  role: (core, role) => core.authorizeMember({ session, organizationId: 1, role }),
  form: (core, form) => core.exportMeetings({ organization, columns: ['name'], form }),
  'form of a recorded export': (core, form) => core.recordExport({ organization, form }),
  'list of a recorded export': (core, list) => core.recordExport({ organization, list, rows: 1 }),
  'state of invitations': (core, state) => core.listInvitations({ organization, state }),
  'order of invitations': (core, order) => core.listInvitations({ organization, order }),
  'role of exported members': (core, role) => core.exportMembers({ organization, role }),
  'state of exported invitations': (core, state) => core.exportInvitations({ organization, state }),
  'role of members': (core, role) => core.listMembers({ organization, role }),
  'order of members': (core, order) => core.listMembers({ organization, order }),
  'state of deliveries': (core, state) => core.listDeliveries({ organization, state }),
  states: (core, state) => core.countDeliveries({ organization, states: ['failed', state] }),
  phase: (core, phase) => core.redeliverMatching({ organization, states: ['failed'], phase }),
  order: (core, order) => core.readEvents({ organization, order }),
  event: (core, event) => core.readEvents({ organization, event }),
  how: (core, how) =>
    core.configureWebhook({ organization, how, webhook: { url: null, enabled: false, events: [] } }),
};

describe('Closed sets of texts', () => {
  for (const [name, call] of Object.entries(calls)) {
    test(`${name}: a text that is not in the set is a TypeError that names the argument`, async () => {
      const { ports, load } = memoryPorts();
      await load({
        organizations: [anOrganization(1)],
        users: [aUser(1)],
        memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: null }],
      });
      const core = createCore(ports, { links });
      const [argument] = name.split(' ');
      for (const text of ['king', 'toString', '', null]) {
        await assert.rejects(call(core, text as never), {
          name: 'TypeError',
          message: new RegExp(`^${argument} must be one of \\w`),
        });
      }
    });
  }

  test('types name the set, and accept texts as they were received', () => {
    const received: string = 'name';
    const request: ExportMeetings = { organization, columns: [received], reportingDays: received };
    assert.equal(request.columns[0], 'name');
    // @ts-expect-error: not a role
    const role: Role = 'king';
    assert.equal(role, 'king');
    // @ts-expect-error: not a text
    const wrong: ExportMeetings = { organization, columns: [5], reportingDays: 'today' };
    assert.equal(wrong.columns[0], 5);
  });
});
