import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '#adapters/sql/index.js';
import { type DirectoryService, startDirectoryService } from '../../support/http/directory-service.js';
import { type PageClient, pageClient } from '../../support/page/client.js';
import { startPostgresUrl } from '../../support/postgres.js';
import { publicUrl } from '../../support/test-service.js';

/** Instances that share a database and nothing else. */
async function startInstances(count: number) {
  const { url, stop } = await startPostgresUrl({ migrated: true });
  const databases = await Promise.all(Array.from({ length: count }, () => openDatabase(url)));
  const instances = await Promise.all(
    databases.map((database) => startDirectoryService({ database, hasPages: true })),
  );
  return {
    instances,
    async stop() {
      for (const instance of instances) await instance.stop();
      for (const database of databases) await database.close();
      await stop();
    },
  };
}

const browserOf = ({ client }: DirectoryService, cookies?: Map<string, string>): PageClient =>
  pageClient({ url: `http://127.0.0.1:${client.port}`, origin: publicUrl }, cookies);

/** What a member of an organization comes in with. */
interface Access {
  readonly cookies: Map<string, string>;
  readonly page: string;
  readonly link: string;
  readonly feed: string;
}

async function accessOf(instance: DirectoryService, id: number, uuid: string): Promise<Access> {
  const { core, ports } = instance;
  const organization = { id };
  const linkOf = async (): Promise<string> =>
    new URL((await core.issueLoginLink({ organization, uuid })).url).pathname;
  const browser = browserOf(instance);
  await browser.fillIn(await linkOf(), {});
  const member = await ports.members.byUuid({ organizationId: id, uuid });
  const { url } = await core.createCalendarFeed({ organizationId: id, userId: member?.user.id ?? 0 });
  return {
    cookies: browser.cookies(),
    page: `/organizations/${id}/meetings`,
    link: await linkOf(),
    feed: new URL(url).pathname,
  };
}

/** What the instance answers to the session, the unused link and the calendar program. */
async function answers(instance: DirectoryService, { cookies, page, link, feed }: Access) {
  const stranger = browserOf(instance);
  const tried = [browserOf(instance, new Map(cookies)).open(page), stranger.open(link), stranger.open(feed)];
  return (await Promise.all(tried)).map(({ status }) => status);
}

test('a person who is deactivated on one of three instances has no access on the others, from the answer on', async (t) => {
  const { instances, stop } = await startInstances(3);
  t.after(stop);
  const [first, ...others] = instances as [DirectoryService, ...DirectoryService[]];
  const directory = await first.directory();
  const [ada, bo] = [
    await directory.add({ userName: `ada@d${directory.id}.test` }),
    await directory.add({ userName: `bo@d${directory.id}.test` }),
  ];
  const [adas, bos] = [await accessOf(first, directory.id, ada), await accessOf(first, directory.id, bo)];
  for (const other of others) assert.deepEqual(await answers(other, adas), [200, 200, 200]);

  const { status } = await directory.send('PATCH', `/Users/${ada}`, {
    Operations: [{ op: 'replace', path: 'active', value: false }],
  });
  assert.equal(status, 200);
  for (const other of others) {
    assert.deepEqual(await answers(other, adas), [303, 404, 404]);
    assert.deepEqual(await answers(other, bos), [200, 200, 200]);
  }
});
