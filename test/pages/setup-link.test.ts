import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aPerson } from '#test/support/core/scripted-provider.js';
import { copiedText, follow, type PageClient, readableText } from '#test/support/page/client.js';
import { type SignOnSite, settings, startSignOnSite, users } from '#test/support/page/sign-on-site.js';
import { password } from '#test/support/page/site.js';

const organization = '/organizations/1';
const link = `${organization}/setup-link`;
const current_password = password;

function pathIn(site: SignOnSite, html: string): string {
  return copiedText(html, 'setup-link')?.slice(site.url.length) ?? assert.fail('no link is shown');
}

/** The path of a new link, which an owner made. */
async function issued(site: SignOnSite, owner: PageClient): Promise<string> {
  const page = await follow(owner, await owner.fillIn(link, { current_password }));
  return pathIn(site, page.text);
}

async function staffWith(site: SignOnSite, path: string): Promise<PageClient> {
  const staff = site.visitor();
  const answer = await staff.fillIn(path, {});
  assert.deepEqual([answer.status, answer.location], [303, settings]);
  return staff;
}

describe('A set-up link', () => {
  test('is made with the owner’s password, shown once, and ended', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    assert.match(await owner.read(`${organization}/settings`), /Set-up link .* Create a set-up link/);
    for (const wrong of ['', 'wrong']) {
      const refused = await owner.fillIn(link, { current_password: wrong });
      assert.equal(refused.status, 422);
      assert.match(refused.words, wrong === '' ? /password is required/ : /password is wrong/);
    }
    const made = await owner.fillIn(link, { current_password });
    assert.equal(made.location, `${link}/new`);
    const page = await follow(owner, made);
    assert.match(pathIn(site, page.text), /^\/setup\//);
    assert.match(await owner.read(`${link}/new`), /can’t be shown again/);
    assert.match(await owner.read(`${organization}/settings`), /works until .* nobody has opened it/);
    const path = pathIn(site, page.text);
    const staff = await staffWith(site, path);
    assert.match(await owner.read(`${organization}/settings`), /last opened/);
    const ended = await owner.fillIn(`${link}/end`, {});
    assert.equal(ended.location, `${organization}/settings`);
    assert.match((await follow(owner, ended)).words, /no longer works/);
    const closed = await site.visitor().open(path);
    assert.deepEqual([closed.status, /does not work/.test(closed.text)], [410, true]);
    assert.equal((await staff.open(settings)).location?.startsWith('/sign-in'), true);
    assert.equal((await owner.open(`${link}/end`)).location, `${organization}/settings`);
  });

  test('opens the pages of sign-on and of the directory, for others to set up, and no other page', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    const staff = await staffWith(site, await issued(site, owner));
    const { text } = await staff.open(settings);
    assert.match(text, /aria-current="page"[^>]*>Sign-on/);
    const page = readableText(text);
    assert.match(page, /open until/);
    assert.doesNotMatch(page, /Your password|Remove it|Turn it off|Require it|Your account/);
    const saved = await staff.fillIn(settings, { client_id: 'by staff', admits: 'provisioned' });
    assert.deepEqual([saved.status, (await site.storage.signOns.of(1))?.clientId], [303, 'by staff']);
    await site.core.switchSignOn({ organization: { id: 1 }, to: 'off' });
    assert.equal((await staff.fillIn(`${settings}/on`, {})).status, 303);
    assert.match(await staff.read(`${settings}/check`), /What the provider offers/);
    const back = await site.signOnAs(staff, aPerson('x'), `${settings}/try`);
    assert.match((await follow(staff, back)).words, /The provider works, but this person can’t come in/);
    const { isOn, tested } = (await site.storage.signOns.of(1)) ?? {};
    assert.deepEqual([isOn, tested], [true, null], 'the owner has not tried it');
    const token = await staff.fillIn(`${organization}/directory/token`, { keep_old_for_hours: '0' });
    assert.match((await follow(staff, token)).text, /id="directory-token"/);
    await site.core.switchSignOn({ organization: { id: 1 }, to: 'on' });
    const directory = await staff.read(`${organization}/directory`);
    assert.match(directory, /On .* Replace the token/);
    assert.doesNotMatch(directory, /Turn the directory off|Show the people|Find a person/);

    const { items: entries } = await site.core.listActivity({ organization: { id: 1 } });
    const byStaff = entries.filter(({ actor }) => actor.who.kind === 'setup-link');
    assert.deepEqual(
      byStaff.map(({ action }) => action),
      ['directory-token-issued', 'sign-on-configured', 'sign-on-configured', 'setup-link-opened'],
    );
    assert.match(await owner.read(`${organization}/activity`), /Someone with the set-up link/);

    for (const path of [
      organization,
      ...['settings', 'people', 'people.csv', 'webhooks', 'access-key', 'invitations', 'meetings'].map(
        (name) => `${organization}/${name}`,
      ),
      ...['required', 'off', 'remove'].map((name) => `${settings}/${name}`),
      ...[link, `${link}/end`, `${organization}/directory/off`, '/account', '/account/sessions'],
      `${organization}/people/${users.owner}`,
    ])
      assert.equal((await staff.open(path)).status, 403, path);
    assert.equal((await staff.open('/meetings')).location, settings);
    assert.equal((await staff.open('/organizations/2/sign-on')).status, 403);
  });

  test('says whom it signs out, and closes its pages after five minutes', async (t) => {
    const site = await startSignOnSite(t);
    const owner = await site.withPassword('owner');
    const path = await issued(site, owner);
    assert.match(await owner.read(path), /signs you out here/);
    const staff = await staffWith(site, path);
    assert.doesNotMatch(await staff.read(path), /signs you out here/);
    site.clock.advance(5 * 60_000);
    assert.equal((await staff.open(settings)).location?.startsWith('/sign-in'), true);
    const closed = /close after five minutes\. Open the link again/;
    assert.match((await follow(staff, await staff.open(settings))).text, closed);
    assert.doesNotMatch(await site.visitor().read('/sign-in?next=/organizations/1/sign-on'), closed);
    assert.equal((await staff.fillIn(path, {})).location, settings);

    const typed = { ...(await staff.fieldsOf(settings)), client_id: 'typed late' };
    site.clock.advance(5 * 60_000);
    const late = await staff.send({ path: settings, fields: typed });
    assert.match(late.words, /We kept what you typed.* Open the link again in a new tab/);
    const { kept_form = '', form_token = '' } = late.fields;
    await staff.fillIn(path, {});
    const fields = { kept_form, form_token, resumes: '1' };
    const resumed = await staff.send({ path: '/sign-in', fields });
    assert.deepEqual([resumed.status, resumed.location], [307, settings]);
    const again = await staff.send({ path: settings, fields });
    assert.equal(again.fields.client_id, 'typed late');
    for (let count = 3; count < 20; count += 1) await staff.fillIn(path, {});
    assert.equal((await staff.fillIn(path, {})).status, 429);
  });
});
