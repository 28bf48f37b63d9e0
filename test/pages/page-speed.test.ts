import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '#adapters/sql/index.js';
import { freePort, start, temporaryDirectory } from '#test/support/app-cli.js';
import { fillLargeOrganization, largeSecretKey } from '#test/support/large-organization.js';
import { MAX_PAGE_MS, measurePages, pageOperations } from '#test/support/page/page-speed.js';
import { slowness } from '../support/slowness.js';
import { publicUrl } from '../support/test-service.js';

/** A tenth of the rows of the bench's measurement `pages`. */
const size = { meetings: 10_000, people: 2_000, upcoming: 500, logged: 5_000 };
const ROUNDS = 5;
/** If other programs keep the machine busy, a slow page gets further chances. */
const TRIES = 3;

test(`Every page of a large organization is answered within ${MAX_PAGE_MS} ms, also those with searches and sorting`, async (t) => {
  const directory = temporaryDirectory();
  const file = `sqlite:${join(directory.path, 'large.db')}`;
  const database = await openDatabase(file, { serves: false });
  await database.migrate();
  const keys = await fillLargeOrganization(database, size);
  await database.close();
  const port = await freePort();
  const env = {
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    DATABASE_URL: file,
    SECRET_KEY: largeSecretKey,
    PAGE_LIMIT: '0',
    FEED_LIMIT: '0',
  };
  const server = start(['serve'], { cwd: directory.path, env });
  t.after(async () => {
    await server.discard();
    directory.remove();
  });
  await server.see(/"msg":"Listening"/);

  let slow = pageOperations(keys, size);
  for (let tries = 0; tries < TRIES && slow.length > 0; tries += 1) {
    const times = await measurePages({ url: `http://127.0.0.1:${port}` }, slow, ROUNDS);
    const maxMs = MAX_PAGE_MS * slowness();
    slow = slow.filter((_operation, index) => !((times[index]?.median ?? Number.NaN) <= maxMs));
  }
  assert.deepEqual(
    slow.map(({ name }) => name),
    [],
  );
});
