import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { follow } from '#test/support/page/client.js';
import { password, startOwnedSite } from '#test/support/page/site.js';

const page = '/account/stay-signed-in';
const HOUR_MS = 60 * 60_000;

describe('Staying signed in after 12 hours', () => {
  test('takes the password, and gives a new session that ends the old one', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    /** Visits a page every 20 minutes, so that only the 12 hours end the session. */
    const pass = async (hours: number) => {
      for (let visits = 0; visits < 3 * hours; visits += 1) {
        site.clock.advance(HOUR_MS / 3);
        await owner.open('/session');
      }
    };
    await pass(11);
    const old = owner.cookie('session');
    const sent = await owner.fillIn(page, { password });
    assert.deepEqual([sent.status, sent.location], [303, page]);
    assert.notEqual(owner.cookie('session'), old);
    assert.equal(await site.core.resumeSession({ session: old ?? '' }), null);
    const answer = await follow(owner, sent);
    assert.match(answer.words, /You stay signed in for up to 12 hours\. Go on where you were/);
    assert.doesNotMatch(answer.text, /type="password"/);
    await pass(11);
    assert.equal((await owner.open('/account')).status, 200, 'after 22 hours');
    await pass(1);
    assert.equal((await owner.open('/account')).status, 303, 'after 12 hours more');
  });

  test('is refused with a wrong password, and then changes nothing', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    const old = owner.cookie('session');
    const changes = [...site.changes];
    const refused = await owner.fillIn(page, { password: 'wrong', email: 'other@example.test' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /<title>Error: Stay signed in/);
    assert.match(refused.words, /The email address or password is wrong/);
    assert.equal(owner.cookie('session'), old);
    assert.deepEqual(
      site.changes.slice(changes.length).filter((change) => change.startsWith('sessions')),
      [],
    );
  });

  test('is for the reader alone: another account’s address in the form has no effect', async (t) => {
    const { site, owner } = await startOwnedSite(t);
    await site.addUser({ id: 101, password: 'their own password', organizations: [1] });
    const fields = await owner.fieldsOf(page);
    const theirs = { ...fields, email: 'user-101@example.test', password: 'their own password' };
    assert.equal((await owner.send({ path: page, fields: theirs })).status, 422);
  });
});
