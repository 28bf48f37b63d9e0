import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { startSiteOf } from '#test/support/page/site.js';

const site = (context: TestContext) => startSiteOf(context, { 100: ['member', 1, 2] });

describe('The page of a login link', () => {
  test('names the organization and has one button, and nothing that submits the form by itself', async (t) => {
    const { visitor, linkFor } = await site(t);
    const page = await visitor().open(await linkFor(100));
    assert.equal(page.status, 200);
    assert.match(page.words, /Sign in with Northwind Wellness/);
    assert.equal(page.text.match(/<button/g)?.length, 1);
    assert.doesNotMatch(
      page.text,
      /<script(?! type="module" src="\/assets\/rollcall\.js)|http-equiv|onload|autofocus/i,
    );
    assert.equal(page.headers.get('refresh'), null);
  });

  test('warns a reader who has signed in with a password that the link signs them out, and leads to their meetings', async (t) => {
    const { visitor, linkFor, signedIn, signedInByLink } = await site(t);
    const path = await linkFor(100);
    const dana = await signedIn(100);
    const { text, words } = await dana.open(path);
    assert.match(
      words,
      /You are signed in as First100 Last100 \. Signing in with this link signs you out here\./,
    );
    assert.match(text, /<a href="\/meetings">Go to my meetings without it</);

    const byLink = await signedInByLink(100);
    for (const client of [byLink, visitor()])
      assert.doesNotMatch((await client.open(path)).text, /signed in as|Go to my meetings/);
  });

  test('changes nothing when it is opened with GET and HEAD: the link still works', async (t) => {
    const { visitor, linkFor, changes } = await site(t);
    const path = await linkFor(100);
    const before = [...changes];
    for (const method of ['GET', 'GET', 'GET', 'HEAD']) {
      const page = await visitor().open(path, { method, headers: { 'Sec-Purpose': 'prefetch' } });
      assert.equal(page.status, 200);
    }
    assert.deepEqual(changes, before);
    assert.equal((await visitor().fillIn(path, {})).status, 303);
  });

  test('signs in once, into the member page, greeting by first name', async (t) => {
    const { visitor, linkFor, core } = await site(t);
    const dana = visitor();
    const path = await linkFor(100);
    const answer = await dana.fillIn(path, {});
    assert.equal(answer.status, 303);
    assert.equal(answer.location, '/organizations/1/meetings');
    assert.match(await dana.read('/organizations/1/meetings'), /Hello, First100/);
    const session = await core.resumeSession({ session: dana.cookie('session') ?? null });
    assert.equal(session?.boundTo, 1);
  });

  test('is recorded in the audit trail with the member and the address of the browser', async (t) => {
    const { visitor, linkFor, core } = await site(t);
    const path = await linkFor(100);
    const dana = visitor();
    const fields = await dana.fieldsOf(path);
    await dana.send({ path, fields, headers: { 'X-Forwarded-For': '[2001:db8::7]:443' } });
    const { items } = await core.listActivity({ organization: { id: 1 } });
    assert.deepEqual(
      items.map(({ action, actor, user }) => [action, actor.from, user?.id]),
      [
        ['login-link-redeemed', '2001:db8::7', 100],
        ['login-link-issued', null, undefined],
      ],
    );
  });

  test('says that a link was used, when it is opened and when its form is sent', async (t) => {
    const { visitor, linkFor } = await site(t);
    const path = await linkFor(100);
    const late = visitor();
    const fields = await late.fieldsOf(path);
    await visitor().fillIn(path, {});
    for (const page of [await visitor().open(path), await late.send({ path, fields })]) {
      assert.equal(page.status, 410);
      assert.match(page.words, /This login link was already used/);
      assert.doesNotMatch(page.text, /<form/);
    }
    assert.equal(late.cookie('session'), undefined);
  });

  test('works after 299 seconds, and says after 301 that it has expired', async (t) => {
    const { visitor, linkFor, clock } = await site(t);
    const [early, late] = [await linkFor(100), await linkFor(100)];
    const dana = visitor();
    const fields = await dana.fieldsOf(late);
    clock.advance(299_000);
    assert.equal((await visitor().fillIn(early, {})).status, 303);
    clock.advance(2_000);
    for (const page of [await visitor().open(late), await dana.send({ path: late, fields })]) {
      assert.equal(page.status, 410);
      assert.match(page.words, /This login link has expired/);
    }
  });

  test('says that a link is unknown', async (t) => {
    const { visitor, linkFor } = await site(t);
    const path = await linkFor(100);
    const invented = path.endsWith('A') ? `${path.slice(0, -1)}E` : `${path.slice(0, -1)}A`;
    const token = visitor();
    const fields = await token.fieldsOf('/sign-in');
    for (const unknown of [invented, '/login/x', '/login/%00', `/login/${'x'.repeat(3000)}`]) {
      for (const page of [await visitor().open(unknown), await token.send({ path: unknown, fields })]) {
        assert.equal(page.status, 404, unknown);
        assert.match(page.words, /This login link does not exist/);
      }
    }
  });
});
