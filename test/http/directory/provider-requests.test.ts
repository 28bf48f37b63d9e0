import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type DirectoryService, startDirectoryService } from '../../support/http/directory-service.js';
import { ada, providerRequests } from './provider-requests.js';

/** Rows that are not one request: they have a test of their own below or in the other files of this folder. */
const others: Readonly<Record<number, string>> = {
  18: 'a slow answer: the request deadline of the service',
  39: 'the load: test/soak/directory.ts and the limit',
};

/** An address that another organization has used before is invited. */
function withOwnAddresses<Value>(value: Value, id: number): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(/(north)(\.test)/gi, `$1-${id}$2`));
}

describe('What identity providers really send', () => {
  let service: DirectoryService;
  before(async () => {
    service = await startDirectoryService();
  });
  after(() => service.stop());

  for (const { rows, who, before: given = [ada], send, status, answer, state } of providerRequests)
    test(`${rows.join(', ')}: ${who}: ${send[0]} ${send[1].split('?')[0]}`, async () => {
      const directory = await service.directory();
      const own = <Value>(value: Value): Value => withOwnAddresses(value, directory.id);
      const ids: string[] = [];
      for (const body of given) ids.push(await directory.add(own(body)));
      const [method, path, ...more] = own(send);
      const reply = await directory.send(method, path.replace(':id', ids[0] ?? ''), ...more);
      assert.equal(reply.status, status, reply.text);
      for (const [name, value] of Object.entries(own(answer ?? {})))
        assert.deepEqual(reply.scim[name], value, name);
      if (status === 201) {
        const { id, meta } = reply.scim;
        assert.equal(reply.headers.location, `http://localhost:3000/scim/v2/${directory.id}/Users/${id}`);
        assert.deepEqual(meta, { resourceType: 'User', location: reply.headers.location });
      }
      assert.ok(!reply.text.includes('x9-secret'));
      if (state === undefined) return;
      const uuid = ids[0] ?? reply.scim.id;
      const organization = { id: directory.id };
      const person = await service.core.findProvisioned({ organization, attribute: 'id', value: uuid });
      const { isMember, ...fields } = own(state ?? {});
      if (state === null) assert.equal(person, null);
      for (const [name, value] of Object.entries(fields))
        assert.equal(person?.[name as keyof typeof person], value, name);
      if (isMember !== undefined) assert.equal(person?.member !== null, isMember, 'isMember');
    });

  test('every row has a request', () => {
    const seen = new Set([
      ...providerRequests.flatMap(({ rows }) => rows),
      ...Object.keys(others).map(Number),
    ]);
    const missing = Array.from({ length: 55 }, (_, index) => index + 1).filter((row) => !seen.has(row));
    assert.deepEqual(missing, []);
  });

  test('no unexpected error was reported, and no line has what was sent', () => {
    assert.deepEqual(service.reports, []);
    const lines = JSON.stringify(service.lines);
    for (const sent of ['x9-secret', 'ada@north', 'Lovelace', '00uA1', 'Bearer'])
      assert.ok(!lines.includes(sent), sent);
  });
});
