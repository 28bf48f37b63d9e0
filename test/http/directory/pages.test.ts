import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aUser } from '@rollcall/core/testing';
import type { Database, Sql } from '#adapters/sql/index.js';
import { startDirectoryService } from '../../support/http/directory-service.js';
import { startEmptySqliteDatabase } from '../../support/storage.js';

/** Each statement adds to the list. */
function listing(database: Database, texts: string[]): Database {
  const listed = <Listed extends Sql>(sql: Listed): Listed => {
    const note = (text: string): string => {
      texts.push(text);
      return text;
    };
    return {
      ...sql,
      all: (text, values) => sql.all(note(text), values),
      rows: (text, values) => sql.rows(note(text), values),
      get: (text, values) => sql.get(note(text), values),
      run: (text, values) => sql.run(note(text), values),
    };
  };
  return {
    ...database,
    read: listed(database.read),
    readAside: (organizationId) => listed(database.readAside(organizationId)),
    write: (work, options) => database.write((sql) => work(listed(sql)), options),
  };
}

// That each of them reads no more than it has to is what the plans of all statements are examined for.
test('a page of 200 people needs as many statements as a page of one', async (t) => {
  const { database, stop } = await startEmptySqliteDatabase();
  t.after(stop);
  const texts: string[] = [];
  const service = await startDirectoryService({ database: listing(database, texts) });
  t.after(() => service.stop());
  const directory = await service.directory();
  const ids = Array.from({ length: 249 }, (_, index) => 20_000 + index);
  await service.load({
    users: ids.map((id) => aUser(id)),
    memberships: ids.map((userId) => ({
      ...({ organizationId: directory.id, userId, role: 'member', idpId: null } as const),
    })),
  });
  for (const id of ids.slice(0, 20)) await directory.add({ userName: aUser(id).email });

  const statements = async (count: number): Promise<readonly string[]> => {
    texts.length = 0;
    const { status, scim } = await directory.send('GET', `/Users?startIndex=11&count=${count}`);
    assert.deepEqual([status, scim.totalResults, scim.Resources.length], [200, 250, Math.min(count, 200)]);
    return [...texts];
  };
  const one = await statements(1);
  assert.equal(one.length, 8, one.join('\n'));
  assert.equal((await statements(200)).length, one.length);
  assert.equal((await statements(100_000)).length, one.length);
});
