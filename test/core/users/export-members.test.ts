import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { peopleTest } from '../../support/core/people-service.js';
import { readChunks } from '../../support/core/read-chunks.js';
import { refused } from '../../support/core/refused.js';

const header = '\ufeff"ID","Email","First name","Last name","Role","Identity provider ID","Joined"\r\n';

describe('exportMembers', () => {
  peopleTest('has a line for each person that matches, and no text is a formula', async (service) => {
    const { core } = service;
    await service.load({
      users: [aUser(10, { firstName: '=1+1', lastName: 'O"Neil, Özge' })],
      memberships: [{ organizationId: 1, userId: 10, role: 'admin', idpId: '@nw' }],
    });
    const joined = (await core.readMember({ organization, userId: 10 })).joinedAt.toISOString();
    const line = `"${aUser(10).uuid}","user-10@example.test","'=1+1","O""Neil, Özge","admin","'@nw",${joined}\r\n`;
    const file = async (request: object) =>
      (await readChunks(await core.exportMembers({ organization, ...request }))).join('');
    assert.equal(await file({ search: 'ozge' }), header + line);
    assert.equal(await file({ role: 'owner', search: 'ozge' }), header);
    const emails = (text: string) => [...text.matchAll(/"(user-\d+)@/g)].map(([, name]) => name);
    assert.deepEqual(emails(await file({})), ['user-10', 'user-1', 'user-2', 'user-3']);
    const starts = (await file({})).split('\r\n').map((text) => text.slice(0, 2));
    assert.deepEqual(starts, ['\ufeff"', '"0', '"0', '"0', '"0', '']);
    assert.deepEqual(emails(await file({ role: 'admin' })), ['user-10', 'user-2']);
    assert.match(await file({ role: 'owner' }), /,"owner",,2026-/);
    assert.deepEqual(emails(await file({ organization: { id: 2 } })), ['user-3']);
    await assert.rejects(
      core.exportMembers({ organization, search: 'x'.repeat(301) }),
      refused('invalid-request'),
    );
  });

  peopleTest('comes in parts of 1000 people, each person once', async (service) => {
    const ids = Array.from({ length: 2001 }, (_, index) => 1000 + index);
    await service.load({
      users: ids.map((id) => aUser(id)),
      memberships: ids.map((userId) => ({ organizationId: 1, userId, role: 'member', idpId: null })),
    });
    const parts = await readChunks(await service.core.exportMembers({ organization }));
    assert.deepEqual(
      parts.map((part) => part.split('\r\n').length - 1),
      [1001, 1000, 4],
    );
    const lines = parts.join('').split('\r\n');
    for (const line of lines.slice(1, -1)) assert.match(line, /^"0.*Z$/);
    assert.equal(new Set(lines).size, 2001 + 3 + 2);
  });
});
