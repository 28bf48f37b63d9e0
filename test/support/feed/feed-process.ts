import { setTimeout as pause } from 'node:timers/promises';
import { testUuid } from '@rollcall/core/testing';
import { type Database, openDatabase, sqlPorts } from '#adapters/sql/index.js';
import { eventName } from '#core/testing/subscribe.js';
import { serveParent } from '../forked-instance.js';
import { ORGANIZATION_ID, type Result, type Task } from './messages.js';
import { naiveFeed } from './naive-feed.js';

/**
 * An instance that registers people and reads the feed as its parent asks: `node feed-process.js <database URL>
 * [position-at-insert]`.
 */
const [url = '', fault] = process.argv.slice(2);
const database = await openDatabase(url, { timeoutMs: 20_000 });
const eventFeed = fault === 'position-at-insert' ? naiveFeed(database) : sqlPorts(database).eventFeed;

serveParent(run);

async function run(task: Task): Promise<Result> {
  if (task.kind === 'read') return eventFeed.read(task.query);
  await register(task);
  return true;
}

/** The transaction stays open after its last statement, so that later ones can commit first. */
async function register({ number, holdMs }: Task & { readonly kind: 'register' }): Promise<void> {
  const held: Database = {
    ...database,
    write: (work) =>
      database.write(async (sql) => {
        const result = await work(sql);
        await pause(holdMs);
        return result;
      }),
  };
  const at = new Date();
  const user = {
    uuid: testUuid(1_000_000 + number),
    email: `person-${number}@feed.test`,
    firstName: 'Person',
    lastName: String(number),
    passwordHash: null,
    createdAt: at,
  };
  const member = await sqlPorts(held).members.register(
    {
      organizationId: ORGANIZATION_ID,
      user,
      uuid: null,
      role: 'member',
      idpId: null,
      invitationId: null,
      at,
    },
    () => [
      {
        id: testUuid(2_000_000 + number),
        name: eventName,
        organizationId: ORGANIZATION_ID,
        body: String(number),
        createdAt: at,
      },
    ],
  );
  if (typeof member === 'string') throw new Error(`${user.email}: ${member}`);
}
