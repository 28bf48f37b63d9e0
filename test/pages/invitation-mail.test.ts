import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { follow, formFields, type PageClient, readableText } from '#test/support/page/client.js';
import { recordingMailer, startSiteOf } from '#test/support/page/site.js';

const path = '/organizations/1/invitations';
const invitePath = `${path}/new`;
const dana = { email: 'dana@example.test', first_name: 'Dana', last_name: 'Kim' };

async function adminSite(context: TestContext, { mails }: { readonly mails: boolean }) {
  const mailer = recordingMailer();
  const site = await startSiteOf(context, { 100: ['admin', 1] }, mails ? { mailer } : {});
  const admin = await site.signedIn(100);
  return {
    admin,
    /** Invites by the form, and returns the text of the page after it. */
    async invite(fields: Readonly<Record<string, string>>): Promise<string> {
      const answer = await admin.fillIn(invitePath, { ...dana, ...fields });
      if (answer.status === 200) return answer.words;
      assert.equal(answer.status, 303, answer.words);
      return admin.read(answer.location ?? '');
    },
    async received(): Promise<readonly string[]> {
      await site.core.sendMails({ limit: 99 });
      return mailer.sent.splice(0).map(({ to }) => to);
    },
  };
}

/** The UUID of the first invitation in the list, or of the person's. */
async function uuidOf(admin: PageClient, email = ''): Promise<string> {
  const { text } = await admin.open(`${path}?search=${email}`);
  return /name="invitation" value="([^"]*)"/.exec(text)?.[1] ?? assert.fail('there is no invitation');
}

describe('An invitation', () => {
  test('is mailed if the box is checked, as it is at first, and the link to copy stays', async (t) => {
    const { admin, invite, received } = await adminSite(t, { mails: true });
    assert.match(
      (await admin.open(invitePath)).text,
      /<input type="checkbox" id="send_mail" name="send_mail" value="1" checked\/>/,
    );
    const without = await invite({ email: 'eve@example.test', send_mail: '' });
    assert.match(without, /The invitation is ready\. Send them this link yourself\./);
    assert.deepEqual(await received(), []);
    const mailed = await invite({ send_mail: '1' });
    assert.match(mailed, /We’re emailing them this link\..* Invitation link http/s);
    assert.deepEqual(await received(), [dana.email]);
    const { text, words } = await admin.fillIn(invitePath, { ...dana, first_name: 'Dora', send_mail: '1' });
    assert.match(
      words,
      /was invited before .* what you typed was not used\. We’re emailing them this link again\./,
    );
    assert.deepEqual(await received(), [dana.email]);
    const [, renew = '', renewal = ''] = /<form [^>]*action="([^"]*\/renew)"(.*?)<\/form>/s.exec(text) ?? [];
    await admin.send({ path: renew, fields: formFields(renewal) });
    assert.deepEqual(await received(), [dana.email], 'the new link is mailed, too');
  });

  test('that was mailed three times today is not mailed, and the page says so', async (t) => {
    const { invite, received } = await adminSite(t, { mails: true });
    for (let count = 0; count < 3; count += 1) await invite({ send_mail: '1' });
    const again = await invite({ send_mail: '1' });
    assert.match(again, /was invited before .* The link was not emailed: there have been too many/);
    assert.equal((await received()).length, 3);
  });

  test('keeps the box checked if the form is refused', async (t) => {
    const { admin } = await adminSite(t, { mails: true });
    const { status, text } = await admin.fillIn(invitePath, { ...dana, email: 'nobody', send_mail: '1' });
    assert.equal(status, 422);
    assert.match(text, /name="send_mail" value="1" checked/);
  });

  test('of a list is mailed to each person, once if the browser sends the list again', async (t) => {
    const { admin, received } = await adminSite(t, { mails: true });
    const people = 'ada@example.test, Ada, Lovelace\nbob@example.test, Bob, Ross\nnobody';
    const send = async (list = people, send_mail = '1') =>
      (await admin.fillIn(`${path}/many`, { people: list, send_mail })).words;
    assert.doesNotMatch(await send(people, ''), /emailing/);
    assert.deepEqual(await received(), []);
    assert.match(await send(), /We’re emailing each person their own link\./);
    assert.deepEqual((await received()).toSorted(), ['ada@example.test', 'bob@example.test']);
    assert.match(await send(), /You have just sent this list, so nobody was emailed again\./);
    assert.deepEqual(await received(), []);
    assert.match(await send('ada@example.test, Ada, Lovelace'), /We’re emailing each person/);
    assert.deepEqual(await received(), ['ada@example.test']);
    assert.match(await send(), /You have just sent this list/, 'also after another list');
    assert.deepEqual(await received(), []);
  });

  test('that is renewed is mailed if the box is checked', async (t) => {
    const { admin, invite, received } = await adminSite(t, { mails: true });
    await invite({ send_mail: '' });
    const page = `${path}/${await uuidOf(admin)}/renew`;
    const renew = async (send_mail: string) =>
      (await follow(admin, await admin.fillIn(page, { send_mail }))).words;
    assert.match(await renew(''), /Invitation renewed\. Send them the new link/);
    assert.deepEqual(await received(), []);
    for (let count = 0; count < 3; count += 1)
      assert.match(await renew('1'), /We’re emailing them the new link/);
    assert.deepEqual(await received(), [dana.email], 'only the last link works');
    assert.match(await renew('1'), /renewed, but the link was not emailed/);
  });

  test('that is renewed with others is mailed to each person, and the page names who gets none', async (t) => {
    const { admin, invite, received } = await adminSite(t, { mails: true });
    for (let count = 0; count < 3; count += 1) await invite({ send_mail: '1' });
    await invite({ email: 'eve@example.test', send_mail: '' });
    await received();
    const ids = [...(await admin.open(path)).text.matchAll(/name="invitation" value="([^"]*)"/g)];
    const question = `${path}/selected/renew?${ids.map(([, id]) => `invitation=${id}`).join('&')}`;
    assert.match((await admin.open(question)).text, /name="send_mail" value="1" checked\/>/);
    const { text } = await admin.fillIn(question, { send_mail: '1' }, `${path}/selected/renew`);
    assert.match(readableText(text), /Renewed 2 invitations We’re emailing everyone else their own link\./);
    assert.match(readableText(text), /Not emailed, because .* yourself: dana@example\.test New links/);
    assert.deepEqual(await received(), ['eve@example.test']);
    const dana = `${path}/selected/renew?invitation=${await uuidOf(admin, 'dana@example.test')}`;
    const alone = await admin.fillIn(dana, { send_mail: '1' }, `${path}/selected/renew`);
    assert.match(alone.words, /Renewed 1 invitation Send each person their own link yourself/);
  });

  test('is never mailed without a mail server, and no page offers it', async (t) => {
    const { admin, invite } = await adminSite(t, { mails: false });
    await invite({});
    const uuid = await uuidOf(admin);
    const renewals = [`${path}/${uuid}/renew`, `${path}/selected/renew?invitation=${uuid}`];
    for (const page of [invitePath, `${path}/many`, ...renewals])
      assert.ok(
        !('send_mail' in (await admin.fieldsOf(page))) &&
          !(await admin.open(page)).text.includes('send_mail'),
      );
    const other = { email: 'eve@example.test', send_mail: '1' };
    assert.match(await invite(other), /We don’t send emails: send them this link yourself\./);
  });
});
