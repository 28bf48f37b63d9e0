import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { credentials, recordingMailer, startPageSite, startSiteOf } from '#test/support/page/site.js';

async function mailSite(context: TestContext) {
  const mailer = recordingMailer();
  const started = await startSiteOf(context, { 100: ['member', 1] }, { mailer });
  return {
    ...started,
    /** Sends what waits, and returns the path of the newest link. */
    async receive(): Promise<string> {
      await started.core.sendMails({ limit: 9 });
      const url = /https?:\S+/.exec(mailer.sent.at(-1)?.text.reveal() ?? '')?.[0] ?? '';
      return new URL(url).pathname;
    },
    sent: mailer.sent,
  };
}

describe('A forgotten password', () => {
  test('is reset with the link in a mail, and the new one signs in', async (t) => {
    const site = await mailSite(t);
    const visitor = site.visitor();
    assert.match((await visitor.open('/sign-in')).text, /<a href="\/forgot-password">Forgot your password\?/);
    const answer = await visitor.fillIn('/forgot-password', { email: credentials.email });
    assert.deepEqual([answer.status, answer.location], [303, '/forgot-password/sent']);
    assert.match((await visitor.open('/forgot-password/sent')).text, /Check your email/);
    const path = await site.receive();
    const changes = [...site.changes];
    assert.match((await visitor.open(path)).text, /user-100@example\.test/);
    assert.deepEqual(site.changes, changes, 'opening the link changes nothing');

    const short = await visitor.fillIn(path, { new_password: 'short' });
    assert.equal(short.status, 422);
    assert.match(short.words, /must have at least 8 characters/);
    const done = await visitor.fillIn(path, { new_password: 'seven green herons' });
    assert.deepEqual([done.status, done.location], [303, '/sign-in']);
    const signIn = await visitor.open('/sign-in');
    assert.match(signIn.words, /Password changed/);
    assert.equal(signIn.fields.email, credentials.email);
    const signedIn = await visitor.fillIn('/sign-in', { password: 'seven green herons' });
    assert.equal(signedIn.status, 303);

    const again = await visitor.open(path);
    assert.deepEqual([again.status, /This link no longer works/.test(again.text)], [410, true]);
  });

  test('has the same answer for an address that nobody has', async (t) => {
    const site = await mailSite(t);
    const answerFor = async (email: string) => {
      const { status, location, words } = await site.visitor().fillIn('/forgot-password', { email });
      return [status, location, words];
    };
    assert.deepEqual(await answerFor('nobody@example.test'), await answerFor(credentials.email));
    await site.receive();
    assert.deepEqual(
      site.sent.map(({ to }) => to),
      [credentials.email],
    );
  });

  test('without a mail server, the page says whom to ask and there is no form', async (t) => {
    const visitor = (await startPageSite(t)).visitor();
    assert.match(await visitor.read('/sign-in'), /Ask the people who run this service/);
    assert.equal((await visitor.open('/forgot-password')).status, 404);
  });
});
