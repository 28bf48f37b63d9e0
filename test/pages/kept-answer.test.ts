import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Unavailable } from '@rollcall/core';
import { aUser } from '@rollcall/core/testing';
import { type Answer, formFields, type PageClient, readableText } from '#test/support/page/client.js';
import { dana, listPath, startInvitationSite } from '#test/support/page/invitation-site.js';
import { sampleOf, signedIn, startFullSite, tokenOf, users } from '#test/support/page/routes.js';
import { password, signInAs } from '#test/support/page/sign-in-as.js';
import type { PageSite } from '#test/support/page/site.js';

/** The form of the page with these fields, and the redirect that answers it. */
async function answerTo(
  client: PageClient,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { text } = await client.open(path);
  return client.send({ path, fields: { ...formFields(text), ...fields }, followsAnswer: false });
}

/** The path of the page that shows why the invitation was refused. */
async function refusedInvitation(client: PageClient): Promise<string> {
  const { status, location } = await answerTo(client, listPath, { ...dana, email: 'no address' });
  assert.equal(status, 303);
  return location ?? '';
}

describe('Every form of the pages', () => {
  const senders: Readonly<Record<string, (site: PageSite) => Promise<[PageClient, string]>>> = {
    'an owner': async (site) => {
      const owner = await signedIn(site, 'owner');
      return [owner, await tokenOf(owner)];
    },
    'an owner whose form has expired': async (site) => [await signedIn(site, 'owner'), 'expired'],
    'a member': async (site) => {
      const member = await signedIn(site, 'member');
      return [member, await tokenOf(member)];
    },
  };

  for (const [name, sender] of Object.entries(senders)) {
    test(`leads ${name} to an address that can be opened again`, async (t) => {
      const site = await startFullSite(t);
      const refused: string[] = [];
      for (const { path, methods } of site.routes) {
        if (!methods.includes('post')) continue;
        const [client, form_token] = await sender(site);
        const sample = (await sampleOf(site, path)).split('?', 1)[0] ?? '';
        const sent = await client.send({ path: sample, fields: { form_token }, followsAnswer: false });
        assert.equal(sent.status, 303, `POST ${path}`);
        const location = sent.location ?? '';
        const shown = await client.open(location);
        assert.ok(shown.status < 500 && shown.status !== 405, `${shown.status}: GET after POST ${path}`);
        if (!location.includes('answer=')) continue;
        assert.ok(location.startsWith(`${sample}?answer=`), location);
        const again = await client.open(location);
        assert.deepEqual([again.status, again.text], [shown.status, shown.text], path);
        if (again.status >= 400) refused.push(path);
        const forgotten = await client.open(`${sample}?answer=${'a'.repeat(22)}`);
        assert.deepEqual([forgotten.status, forgotten.headers.get('allow')], [303, null], path);
      }
      assert.ok(refused.length > 10, refused.join());
      assert.deepEqual(site.reports, []);
    });
  }
});

describe('The page that answers a form', () => {
  test('has the status of the answer, and its form can be corrected and sent', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const path = await refusedInvitation(admin);
    const { status, headers, text } = await admin.open(path);
    assert.deepEqual([status, headers.get('cache-control')], [422, 'no-store']);
    assert.equal(headers.get('x-error-code'), 'invalid-request');
    assert.match(text, /Enter a valid email address/);
    const fields = { ...formFields(text), email: dana.email };
    assert.equal((await admin.send({ path: listPath, fields })).status, 303);
    assert.equal((await site.core.listInvitations({ organization: { id: 1 } })).totalItems, 1);
  });

  test('is shown to the same session only, on the same page', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    await site.addUser({ id: 104, password, organizations: [1], role: 'admin' });
    const path = await refusedInvitation(admin);
    for (const other of [await signInAs(site, 104), await signInAs(site, 100)]) {
      const { status, location } = await other.open(path);
      assert.deepEqual([status, location], [303, listPath]);
    }
    const elsewhere = await admin.open(path.replace(listPath, `${listPath}/many`));
    assert.deepEqual([elsewhere.status, elsewhere.location], [303, `${listPath}/many`]);
    assert.equal((await site.visitor().open(path)).status, 303);
    await admin.fillIn('/account', {}, '/sign-out');
    assert.deepEqual(
      [(await admin.open(path)).location, (await admin.open(listPath)).status],
      [listPath, 303],
    );
  });

  test('fits into a cookie even with long names and the longest problem', async (t) => {
    const site = await startFullSite(t);
    const name = {
      firstName: 'Wilhelmina Ottilie Henriette',
      lastName: 'von Hohenlohe-Waldenburg-Schillingsfürst',
    };
    await site.load({ users: [aUser(users.owner, name)] });
    const owner = await signedIn(site, 'owner');
    const { status, location } = await answerTo(owner, '/account', {
      current_password: password,
      new_password: 'Wilhelmina!',
    });
    assert.deepEqual([status, location?.split('=')[0]], [303, '/account?answer']);
    const { text } = await owner.open(location ?? '');
    assert.match(readableText(text), /New password must have at least 8 letters or digits, not counting/);
  });

  test('is no longer shown to someone who may not open the page any more', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const path = await refusedInvitation(admin);
    await site.core.changeRole({ organization: { id: 1 }, userId: 100, role: 'member' });
    assert.deepEqual(
      [(await admin.open(path)).location, (await admin.open(listPath)).status],
      [listPath, 404],
    );
  });

  test('is kept for 24 hours, and outside organizations for an hour', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const visitor = site.visitor();
    const refused = await refusedInvitation(admin);
    const wrong =
      (await answerTo(visitor, '/sign-in', { email: 'a@example.test', password: 'x' })).location ?? '';
    const minutes = async (count: number) => {
      for (let passed = 0; passed < count; passed += 20) {
        site.clock.advance(20 * 60_000);
        assert.equal((await admin.open('/account')).status, 200);
      }
    };
    await minutes(40);
    assert.deepEqual([(await visitor.open(wrong)).status, (await admin.open(refused)).status], [422, 422]);
    await minutes(20);
    assert.deepEqual(
      [(await visitor.open(wrong)).location, (await admin.open(refused)).status],
      ['/sign-in', 422],
    );
  });

  test('has no password, and the browser cannot read it', async (t) => {
    const { site } = await startInvitationSite(t);
    const visitor = site.visitor();
    const secret = 'a password that is wrong';
    const { location, headers } = await answerTo(visitor, '/sign-in', {
      email: dana.email,
      password: secret,
    });
    const cookie = headers.getSetCookie().find((text) => /^(?:\d+-)?kept-answer=/.test(text)) ?? '';
    assert.match(cookie, /; Max-Age=3600; .*HttpOnly/);
    assert.ok(cookie.length < 2600, `${cookie.length}`);
    const { text } = await visitor.open(location ?? '');
    assert.ok(text.includes(dana.email) && !text.includes(secret));
    const thief = site.visitor();
    thief.setCookie('kept-answer', visitor.cookie('kept-answer') ?? '');
    assert.equal((await thief.open(location ?? '')).location, '/sign-in');
  });

  test('is no longer shown when the session of its reader has ended', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const wrong = { current_password: 'wrong', new_password: 'a much better password' };
    const { location = '' } = await answerTo(admin, '/account', wrong);
    assert.equal((await admin.open(location ?? '')).status, 422);
    const session = admin.cookie('session') ?? '';
    const elsewhere = await signInAs(site, 100);
    await elsewhere.fillIn('/account/sessions', {}, '/account/sessions/sign-out-others');
    assert.equal((await admin.open('/account')).status, 303);
    admin.setCookie('session', session);
    const ended = await admin.open(location ?? '');
    assert.deepEqual([ended.status, ended.location], [303, '/account']);
  });

  test('is not looked for in an organization whose number is too large', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    for (const client of [admin, site.visitor()]) {
      const path = `/organizations/9999999999999999/invitations?answer=${'a'.repeat(22)}`;
      assert.equal((await client.open(path)).status, 303);
    }
    assert.deepEqual(site.reports, []);
  });

  test('says when to try again, which the redirect does not', async (t) => {
    const { site } = await startInvitationSite(t);
    const visitor = site.visitor();
    const attempt = () => answerTo(visitor, '/sign-in', { email: dana.email, password: 'x' });
    let answer = await attempt();
    for (let count = 0; count < 30; count += 1) {
      const { status } = await visitor.open(answer.location ?? '');
      if (status === 429) break;
      answer = await attempt();
    }
    const shown = await visitor.open(answer.location ?? '');
    assert.deepEqual([answer.status, answer.headers.get('retry-after'), shown.status], [303, null, 429]);
    assert.match(shown.headers.get('retry-after') ?? '', /^\d+$/);
  });
});

describe('The answer itself is sent', () => {
  const forms = { ...dana, email: 'no address' };

  async function sent(
    context: TestContext,
    headers: Readonly<Record<string, string | undefined>>,
  ): Promise<Answer> {
    const { admin } = await startInvitationSite(context);
    const fields = { ...forms, form_token: await tokenOf(admin) };
    return admin.send({ path: listPath, fields, headers, followsAnswer: false });
  }

  test('to programs, which do not say that one of our pages sent the form', async (t) => {
    const { status, text } = await sent(t, { Origin: undefined, 'Sec-Fetch-Site': undefined });
    assert.equal(status, 422);
    assert.match(text, /Enter a valid email address/);
  });

  test('to a form from another site, of which nothing is kept', async (t) => {
    const { status, headers } = await sent(t, { Origin: 'https://evil.example' });
    assert.deepEqual([status, headers.getSetCookie()], [403, []]);
  });

  test('to a browser that accepts no cookies', async (t) => {
    const { status, text } = await sent(t, { Cookie: '' });
    assert.equal(status, 403);
    assert.match(readableText(text), /expired/);
  });

  test('if the service fails, so that a reload tries again', async (t) => {
    const { site, admin } = await startInvitationSite(t);
    const fields = { ...forms, form_token: await tokenOf(admin) };
    site.break(new Unavailable('away'));
    const { status } = await admin.send({ path: listPath, fields, followsAnswer: false });
    assert.equal(status, 503);
  });
});
