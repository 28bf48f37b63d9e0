import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, type InviteUser, type Mail, type Secret } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts, testUuid } from '@rollcall/core/testing';

const links = {
  invitation: (token: Secret) => `https://example.test/invitations/${token.reveal()}`,
  login: () => '',
  defaultAvatar: '',
};
const dana = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim' };
const DAY_MS = 24 * 60 * 60 * 1000;

async function inviting({ mails = true }: { readonly mails?: boolean } = {}) {
  const sent: Mail[] = [];
  const mailer = {
    async send(mail: Mail) {
      sent.push(mail);
      return { outcome: 'sent' } as const;
    },
  };
  const { ports, clock, load } = memoryPorts(mails ? { mailer } : {});
  await load({
    organizations: [1, 2, 3, 4].map((id) => anOrganization(id, { name: `Organization ${id}` })),
    users: [aUser(1)],
    memberships: [{ organizationId: 1, userId: 1, role: 'admin', idpId: null }],
  });
  const core = createCore(ports, { links });
  return {
    ...{ core, ports, clock },
    invite: (request: Partial<InviteUser> = {}) =>
      core.inviteUser({ organization: { id: 1 }, ...dana, sendMail: true, ...request }),
    async received(): Promise<readonly Mail[]> {
      const before = sent.length;
      while ((await core.sendMails({ limit: 100 })).length > 0);
      return sent.slice(before);
    },
  };
}

test('an invitation is mailed if the request asks for it, with the link that the inviter gets', async () => {
  const { invite, received } = await inviting();
  const { isMailed, invitationUrl } = await invite();
  equal(isMailed, true);
  const [mail, ...others] = await received();
  deepEqual([mail?.to, mail?.subject, others], [dana.email, 'Organization 1 invites you', []]);
  ok(mail?.text.reveal().includes(`\n${invitationUrl}\n`));
  match(mail?.text.reveal() ?? '', /Organization 1 invites you/);
  for (const name of [dana.firstName, dana.lastName]) ok(!mail?.text.reveal().includes(name));
});

test('the mail waits with its organization and its invitation until it is sent', async () => {
  const { core, ports, clock, invite } = await inviting();
  await invite();
  const { items } = await core.findInvitations({ organization: { id: 1 } });
  const at = clock.now();
  const [mail] = await ports.mails.claim({ limit: 9, claim: 'c', at, until: at });
  deepEqual(
    [mail?.kind, mail?.organizationId, mail?.invitationId, mail?.createdAt],
    ['invitation', 1, items[0]?.id, at],
  );
});

test('the mail of an invitation that has expired meanwhile is not sent', async () => {
  const { clock, invite, received } = await inviting();
  await invite({ expiresInDays: 1 });
  clock.advance(DAY_MS);
  deepEqual(await received(), []);
});

test('without asking, and without a mailer, nothing is mailed', async () => {
  const { invite, received } = await inviting();
  ok(!('isMailed' in (await invite({ sendMail: false }))));
  ok(!('isMailed' in (await invite({ sendMail: undefined }))));
  deepEqual(await received(), []);
  const without = await inviting({ mails: false });
  equal((await without.invite()).isMailed, false);
  const at = without.ports.clock.now();
  deepEqual(await without.ports.mails.claim({ limit: 9, claim: 'c', at, until: at }), []);
});

test('a pending invitation is mailed again, and one that is no longer pending is not', async () => {
  const { core, invite, received } = await inviting();
  await invite();
  const { uuid, invitationUrl } = await invite();
  const mails = await received();
  deepEqual(
    mails.map(({ text }) => text.reveal().includes(invitationUrl)),
    [true, true],
  );
  await invite();
  await core.revokeInvitation({ organization: { id: 1 }, uuid });
  deepEqual(await received(), []);
});

test('a renewed invitation is mailed with its new link if the request asks for it, within the same limits', async () => {
  const { core, invite, received } = await inviting();
  const { uuid } = await invite({ sendMail: false });
  const renew = (sendMail?: boolean) => core.renewInvitation({ organization: { id: 1 }, uuid, sendMail });
  ok(!('isMailed' in (await renew())));
  deepEqual(await received(), []);
  for (let count = 0; count < 3; count += 1) {
    const { isMailed, invitationUrl } = await renew(true);
    equal(isMailed, true);
    const [mail, ...others] = await received();
    deepEqual([mail?.to, others], [dana.email, []]);
    ok(mail?.text.reveal().includes(`\n${invitationUrl}\n`));
  }
  equal((await renew(true)).isMailed, false);
  equal((await invite()).isMailed, false);
  deepEqual(await received(), []);
  await rejects(core.renewInvitation({ organization: { id: 2 }, uuid, sendMail: true }), {
    code: 'invitation-unknown',
  });
  const without = await inviting({ mails: false });
  const invited = await without.invite();
  const renewed = await without.core.renewInvitation({
    organization: { id: 1 },
    uuid: invited.uuid,
    sendMail: true,
  });
  equal(renewed.isMailed, false);
});

test('a renewal that is refused counts for no limit of mails, and others count for their organization', async () => {
  const { core, invite } = await inviting();
  await invite({ sendMail: false });
  const { items } = await core.listInvitations({ organization: { id: 1 } });
  const [{ id = '', userUuid: uuid = '' } = {}] = items;
  for (const invitationId of [id, id, id, testUuid(99)])
    await rejects(core.renewInvitation({ organization: { id: 2 }, invitationId, sendMail: true }), {
      code: 'invitation-unknown',
    });
  const text = Array.from({ length: 200 }, (_, index) => `guest-${index}@example.test, Gil, Guest`);
  await core.inviteLines({ organization: { id: 2 }, text: text.join('\n'), sendMail: true });
  const renew = () => core.renewInvitation({ organization: { id: 1 }, uuid, sendMail: true });
  deepEqual(
    [(await renew()).isMailed, (await renew()).isMailed, (await renew()).isMailed],
    [true, true, true],
  );
  const other = await invite({ organization: { id: 2 }, email: 'eve@example.test', sendMail: false });
  const renewed = await core.renewInvitation({
    organization: { id: 2 },
    uuid: other.uuid,
    sendMail: true,
  });
  equal(renewed.isMailed, false);
});

test('a refused invitation is not mailed', async () => {
  const { invite, received } = await inviting();
  await rejects(invite({ email: aUser(1).email }), { code: 'already-member' });
  await rejects(invite({ email: 'nobody' }), { code: 'invalid-request' });
  deepEqual(await received(), []);
});

test('an invitation or a renewal that is refused leaves its mail to the next one', async () => {
  const { core, invite } = await inviting();
  const { uuid } = await invite({ sendMail: false });
  await invite({ email: 'eve@example.test', idpId: 'taken', sendMail: false });
  const renew = (idpId: string) =>
    core.renewInvitation({ organization: { id: 1 }, uuid, idpId, sendMail: true });
  for (let count = 0; count < 3; count += 1) {
    await rejects(renew('taken'), { code: 'invalid-request' });
    await rejects(invite({ email: aUser(1).email }), { code: 'already-member' });
  }
  equal((await renew('free')).isMailed, true);
  equal((await invite({ organization: { id: 2 }, email: aUser(1).email })).isMailed, true);
});

test('what is counted is taken back before the refusal is answered, and a failure to do so does not replace it', async () => {
  const { ports, invite } = await inviting();
  const forgiven: string[] = [];
  const { forgive } = ports.limits;
  ports.limits.forgive = async (limit, subject) => {
    await new Promise((resolve) => setImmediate(resolve));
    await forgive(limit, subject);
    forgiven.push(`${limit.name} ${subject}`);
  };
  const { email } = aUser(1);
  await rejects(invite({ email }), { code: 'already-member' });
  deepEqual(forgiven, [`invitation-mail-recipient ${email}`, 'invitation-mail-organization 1']);
  ports.limits.forgive = async () => {
    throw new Error('the database is away');
  };
  await rejects(invite({ email }), { code: 'already-member' });
});

test('an organization that may send no more mails uses up no mail of the person', async () => {
  const { core, ports, invite } = await inviting();
  const text = Array.from({ length: 200 }, (_, index) => `guest-${index}@example.test, Gil, Guest`);
  await core.inviteLines({ organization: { id: 1 }, text: text.join('\n'), sendMail: true });
  const { forgive } = ports.limits;
  ports.limits.forgive = async (limit, subject) => {
    await new Promise((resolve) => setImmediate(resolve));
    await forgive(limit, subject);
  };
  for (let count = 0; count < 3; count += 1) equal((await invite()).isMailed, false);
  equal((await invite({ organization: { id: 2 } })).isMailed, true);
});

test('a person gets three invitations a day by mail, from all organizations together', async () => {
  const { clock, invite, received } = await inviting();
  const mailed = async (id: number) => (await invite({ organization: { id } })).isMailed;
  deepEqual([await mailed(1), await mailed(2), await mailed(3), await mailed(4)], [true, true, true, false]);
  equal((await received()).length, 3);
  clock.advance(DAY_MS - 1000);
  equal(await mailed(4), false);
  clock.advance(1000);
  equal(await mailed(4), true);
});

test('an organization sends 200 invitations a day by mail, and the others can be sent by hand', async () => {
  const { core, invite, received } = await inviting();
  const text = Array.from({ length: 201 }, (_, index) => `guest-${index}@example.test, Gil, Guest`).join(
    '\n',
  );
  const lines = await core.inviteLines({ organization: { id: 1 }, text, sendMail: true });
  deepEqual(
    lines.map(({ invited }) => invited?.isMailed),
    [...Array.from({ length: 200 }, () => true), false],
  );
  equal((await received()).length, 200);
  ok(lines.at(-1)?.invited?.invitationUrl.startsWith('https://example.test/invitations/'));
  equal((await invite({ organization: { id: 2 } })).isMailed, true);
});

test('an invitation whose mail cannot be stored is not answered as if it were mailed', async () => {
  const { ports, invite } = await inviting();
  await invite();
  ports.mails.add = () => Promise.reject(new Error('the database is away'));
  await rejects(invite(), /the database is away/);
});
