import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, type Mail, type SentMail } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts, recordingSender } from '@rollcall/core/testing';
import { webhookAt } from '../support/webhook-at.js';

const MINUTE_MS = 60_000;
const webhook = webhookAt('https://hooks.test/rollcall');
const organization = anOrganization(1, { name: 'Northwind Wellness' });

/** An organization with two owners and an admin, and a webhook that answers with a chosen status. */
async function mailedOwners({ mails = true }: { readonly mails?: boolean } = {}) {
  const sent: Mail[] = [];
  let answer: SentMail = { outcome: 'sent' };
  let status = 500;
  const mailer = {
    async send(mail: Mail) {
      sent.push(mail);
      return answer;
    },
  };
  const webhookSender = recordingSender(() => ({
    ...{ duration: 3, outcome: status < 300 ? 'delivered' : 'failed', phase: 'answer', status },
    ...{ reason: `answered ${status}`, response: null },
  }));
  const { ports, clock, load } = memoryPorts(mails ? { mailer, webhookSender } : { webhookSender });
  await load({
    organizations: [organization, anOrganization(2)],
    users: [1, 2, 3, 4].map((id) => aUser(id)),
    memberships: [
      { organizationId: 1, userId: 1, role: 'owner', idpId: null },
      { organizationId: 1, userId: 2, role: 'owner', idpId: null },
      { organizationId: 1, userId: 3, role: 'admin', idpId: null },
      { organizationId: 2, userId: 4, role: 'owner', idpId: null },
    ],
  });
  const core = createCore(ports, {
    links: {
      invitation: () => '',
      login: () => '',
      webhook: (id) => `https://example.test/organizations/${id}/webhooks`,
      activity: (id) => `https://example.test/organizations/${id}/activity`,
      defaultAvatar: '',
    },
  });
  await core.configureWebhook({ organization, how: 'set', webhook });
  let number = 0;
  return {
    ...{ core, ports, clock, sent },
    answerWith(next: SentMail) {
      answer = next;
    },
    /** Delivers an event, which the receiver answers with the status. */
    async deliver(next: number) {
      status = next;
      number += 1;
      const person = { email: `guest-${number}@example.test`, firstName: 'Gil', lastName: 'Guest' };
      await core.registerUser({ organizationId: 1, ...person });
      await Promise.all(await core.deliverWebhooks({ limit: 9 }));
    },
    /** Sends what is due, and returns recipients and subjects. */
    async received(): Promise<readonly (readonly [string, string])[]> {
      const before = sent.length;
      while ((await core.sendMails({ limit: 50 })).length > 0);
      return sent.slice(before).map(({ to, subject }) => [to, subject]);
    },
  };
}

const toOwners = (subject: string) => [
  [aUser(1).email, subject],
  [aUser(2).email, subject],
];
const failing = toOwners('The webhook of Northwind Wellness is failing');
const working = toOwners('The webhook of Northwind Wellness works again');

test('the owners hear of a failing webhook at the steps of the notice, and once when it works again', async () => {
  const { deliver, received, sent } = await mailedOwners();
  await deliver(500);
  deepEqual(await received(), failing);
  match(sent[0]?.text.reveal() ?? '', /A delivery to the webhook of Northwind Wellness failed on 2026-/);
  match(sent[0]?.text.reveal() ?? '', /https:\/\/example\.test\/organizations\/1\/webhooks/);
  await deliver(500);
  deepEqual(await received(), failing);
  match(sent.at(-1)?.text.reveal() ?? '', /2 deliveries in a row to the webhook of Northwind Wellness/);
  await deliver(500);
  deepEqual(await received(), []);
  await deliver(200);
  deepEqual(await received(), working);
  await deliver(200);
  deepEqual(await received(), []);
});

test('the owners hear of an access key that was replaced, but not of the first one', async () => {
  const { core, received, sent } = await mailedOwners();
  await core.generateAccessKey({ organizationId: 1 });
  deepEqual(await received(), []);
  const { accessKey } = await core.generateAccessKey({ organizationId: 1 });
  deepEqual(await received(), toOwners('The access key of Northwind Wellness was replaced'));
  for (const { text } of sent) {
    match(text.reveal(), /The access key of Northwind Wellness was replaced on/);
    doesNotMatch(text.reveal(), new RegExp(accessKey.reveal()));
  }
});

test('what is no longer so when the mail server is back is not told', async () => {
  const { clock, deliver, received, answerWith } = await mailedOwners();
  answerWith({ outcome: 'failed', reason: 'away' });
  await deliver(500);
  await received();
  await deliver(200);
  await received();
  answerWith({ outcome: 'sent' });
  clock.advance(30 * MINUTE_MS);
  deepEqual(await received(), working);
});

test('who is no longer an owner gets no mail', async () => {
  const { core, deliver, received } = await mailedOwners();
  await deliver(500);
  await core.changeRole({ organization, userId: 2, role: 'member' });
  deepEqual(await received(), failing.slice(0, 1));
});

test('an owner gets ten mails an hour, and the others later', async () => {
  const { clock, core, received } = await mailedOwners();
  await core.generateAccessKey({ organizationId: 1 });
  for (let count = 0; count < 12; count += 1) await core.generateAccessKey({ organizationId: 1 });
  equal((await received()).length, 20);
  clock.advance(60 * MINUTE_MS);
  equal((await received()).length, 4);
});

test('a webhook that fails and recovers again and again holds back no mail about an access key', async () => {
  const { clock, core, deliver, received } = await mailedOwners();
  await core.generateAccessKey({ organizationId: 1 });
  const flap = async () => {
    await deliver(500);
    const first = await received();
    await deliver(200);
    return [...first, ...(await received())];
  };
  for (let count = 0; count < 5; count += 1) deepEqual(await flap(), [...failing, ...working]);
  for (let count = 0; count < 5; count += 1) deepEqual(await flap(), []);
  await core.generateAccessKey({ organizationId: 1 });
  deepEqual(await received(), toOwners('The access key of Northwind Wellness was replaced'));
  clock.advance(60 * MINUTE_MS);
  deepEqual(await received(), working);
});

test('of the mails about a webhook that wait, each owner gets one, with the newest state', async () => {
  for (const [last, mails] of [
    [500, failing],
    [200, working],
  ] as const) {
    const { deliver, received, sent } = await mailedOwners();
    for (let count = 0; count < 3; count += 1) {
      await deliver(200);
      await deliver(500);
      await deliver(500);
    }
    await deliver(last);
    deepEqual(await received(), mails);
    if (last === 500) match(sent[0]?.text.reveal() ?? '', /3 deliveries in a row/);
  }
});

test('the operator sees of which kind each mail is', async () => {
  const { core, deliver } = await mailedOwners();
  const kinds = async () => (await core.sendMails({ limit: 50 })).map(({ kind }) => kind);
  await deliver(500);
  deepEqual(await kinds(), ['webhook-failing', 'webhook-failing']);
  await deliver(200);
  deepEqual(await kinds(), ['webhook-working', 'webhook-working']);
});

test('without a mailer, nothing is added', async () => {
  const { core, ports, deliver } = await mailedOwners({ mails: false });
  await deliver(500);
  await deliver(200);
  for (let count = 0; count < 2; count += 1) await core.generateAccessKey({ organizationId: 1 });
  const at = ports.clock.now();
  deepEqual(await ports.mails.claim({ limit: 9, claim: 'c', at, until: at }), []);
});
