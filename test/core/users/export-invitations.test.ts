import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { invitationsTest } from '../../support/core/invitations-service.js';
import { organization } from '../../support/core/organization.js';
import { readChunks } from '../../support/core/read-chunks.js';
import { refused } from '../../support/core/refused.js';

const header =
  '\ufeff"ID","Email","First name","Last name","Identity provider ID","Role","State","Invited","Expires","Accepted","Revoked","Link"\r\n';

describe('exportInvitations', () => {
  invitationsTest('has a line for each invitation that matches, newest first', async ({ core, clock }) => {
    const invite = (name: string, idpId: string | null = null) =>
      core.inviteUser({
        organization,
        email: `${name}@example.test`,
        firstName: name,
        lastName: '-1',
        idpId,
      });
    const file = async (request: object = {}) =>
      (await readChunks(await core.exportInvitations({ organization, ...request }))).join('');
    assert.equal(await file(), header);

    const first = await invite('a');
    const invited = clock.now().toISOString();
    clock.advance(1000);
    const second = await invite('b', '+nw');
    const later = clock.now().toISOString();
    const a = `"${first.uuid}","a@example.test","a","'-1",,"member","pending",${invited},,,,"${first.invitationUrl}"\r\n`;
    const b = `"${second.uuid}","b@example.test","b","'-1","'+nw","member","pending",${later},,,,"${second.invitationUrl}"\r\n`;
    assert.equal(await file(), header + b + a);
    assert.equal(await file({ search: 'A@' }), header + a);
    assert.equal(await file({ state: 'revoked' }), header);

    await core.renewInvitation({ organization, uuid: first.uuid });
    await core.revokeInvitation({ organization, uuid: second.uuid });
    assert.equal(await file({ state: 'replaced' }), header);
    assert.equal(
      await file({ state: 'revoked' }),
      header + b.replace('pending', 'revoked').replace(/,,,,.*/, `,,,${later},`),
    );
    assert.equal((await file({ state: 'pending' })).split('\r\n').length, 3);
    assert.equal(await file({ organization: { id: 2 } }), header);
    await assert.rejects(core.exportInvitations({ organization, search: 'a\0' }), refused('invalid-request'));
  });

  invitationsTest('comes in parts of 1000, each invitation once', async ({ core }) => {
    const users = Array.from({ length: 1001 }, (_, index) => ({
      email: `p${index}@example.test`,
      firstName: 'P',
      lastName: String(index),
    }));
    for (const from of [0, 500, 1000])
      await core.inviteUsers({ organization, users: users.slice(from, from + 500) });
    const parts = await readChunks(await core.exportInvitations({ organization }));
    assert.deepEqual(
      parts.map((part) => part.split('\r\n').length - 1),
      [1001, 1],
    );
    assert.equal(new Set(parts.join('').match(/p\d+@/g)).size, 1001);
  });
});
