import { deepEqual, doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createCore, type Delivery, type Mail, type Ports, type SentMail } from '@rollcall/core';
import { anOrganization, aUser, memoryPorts, testUuid } from '@rollcall/core/testing';
import type { Links } from '#core/settings.js';
import {
  accessKeyReplacedText,
  invitationText,
  webhookFailingText,
  webhookWorkingText,
} from '#core/users/mails/mail-text.js';
import type { MailKind } from '#core/users/ports/mails.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const owner = aUser(1);
const northwind = anOrganization(1, { name: 'Northwind' });
const links: Links = {
  invitation: (token) => `https://example.test/invitations/${token.reveal()}`,
  login: () => '',
  passwordReset: (token) => `https://example.test/reset-password/${token.reveal()}`,
  webhook: (id) => `https://example.test/organizations/${id}/webhooks`,
  activity: (id) => `https://example.test/organizations/${id}/activity`,
  defaultAvatar: '',
};
const away: SentMail = { outcome: 'failed', reason: 'the mail server is away' };

/** A service with a mailer. User 1 owns organizations 1 and 3; user 2 owns organization 2 and is an admin of 1. */
async function mailService({ without, mailer: isGiven = true }: Partial<MailService> = {}) {
  const sent: Mail[] = [];
  let answer: (mail: Mail) => SentMail | Promise<SentMail> = () => ({ outcome: 'sent' });
  let failuresInRow = 0;
  let reason: string | null = null;
  const mailer = {
    async send(mail: Mail) {
      sent.push(mail);
      return answer(mail);
    },
  };
  const { ports, clock, load } = memoryPorts(isGiven ? { mailer } : {});
  const webhooks = {
    ...ports.webhooks,
    async health() {
      const failingSince = failuresInRow === 0 ? null : clock.now();
      return { failuresInRow, failingSince, lastDeliveredAt: null };
    },
  };
  const deliveries = {
    ...ports.deliveries,
    list: (async ({ organizationId, state, isTest, limit }) => {
      deepEqual([organizationId, state, isTest, limit], [1, 'failed', false, 1]);
      return reason === null
        ? []
        : [{ attempts: [{ reason: 'an older one' }, { reason }] } as unknown as Delivery];
    }) satisfies Ports['deliveries']['list'],
  };
  const core = createCore(
    { ...ports, webhooks, deliveries },
    { serviceName: 'Roll Call', links: without === undefined ? links : { ...links, [without]: undefined } },
  );
  await load({
    organizations: [northwind, anOrganization(2), anOrganization(3)],
    users: [owner, aUser(2)],
    memberships: [
      { organizationId: 1, userId: 1, role: 'owner', idpId: null },
      { organizationId: 3, userId: 1, role: 'owner', idpId: null },
      { organizationId: 1, userId: 2, role: 'admin', idpId: null },
      { organizationId: 2, userId: 2, role: 'owner', idpId: null },
    ],
  });
  return {
    ...{ core, ports, clock, load, sent },
    answerWith(next: SentMail | (() => Promise<SentMail>)) {
      answer = typeof next === 'function' ? next : () => next;
    },
    setFailures(count: number, why: string | null = null) {
      failuresInRow = count;
      reason = why;
    },
    add: (kind: MailKind, { email = owner.email, organizationId = 1, invitationId }: AddedMail = {}) =>
      ports.mails.add({
        ...{ kind, email, createdAt: clock.now() },
        ...(!kind.startsWith('password-') && { organizationId }),
        ...(invitationId !== undefined && { invitationId }),
      }),
    send: (limit = 50) => core.sendMails({ limit }),
  };
}

type Service = Awaited<ReturnType<typeof mailService>>;

interface MailService {
  /** The link that the embedder has not given. */
  readonly without?: 'passwordReset' | 'webhook' | 'activity';
  readonly mailer: boolean;
}

interface AddedMail {
  readonly email?: string;
  readonly organizationId?: number;
  readonly invitationId?: string;
}

const sentMail = (kind: MailKind) => ({ kind, outcome: 'sent', reason: null });
const dropped = (kind: MailKind) => ({ kind, outcome: 'dropped', reason: null });
const tooMany = (kind: MailKind) => ({
  ...{ kind, outcome: 'postponed' },
  reason: 'the recipient or the organization has had too many mails',
});

test('the name of an organization is one line of a mail, and no link', () => {
  const about = {
    serviceName: 'Roll Call',
    url: 'https://example.test/link',
    at: new Date(0),
    timeZone: null,
    reason: null,
    role: 'admin',
    expiresAt: null,
  } as const;
  const texts = {
    failuresInRow: 2,
    organization: 'A\n\nSee\u202e https://evil.test/x or WWW.evil.test\u2028!',
  };
  for (const write of [invitationText, accessKeyReplacedText, webhookFailingText, webhookWorkingText]) {
    const { subject, text } = write({ ...about, ...texts });
    match(subject, /A See … or … !/);
    doesNotMatch(subject, /\n|:\/\/|www/i);
    const [, first] = text.reveal().split('\n\n');
    match(first ?? '', /A See … or … !/);
    deepEqual(text.reveal().match(/\S*(?::\/\/|www)\S*/gi), ['https://example.test/link']);
  }
});

test('an invitation says that someone becomes an admin, and until when its link works', () => {
  const about = { serviceName: 'Roll Call', organization: 'Northwind', url: 'https://example.test/link' };
  const { text } = invitationText({
    ...{ ...about, role: 'admin', expiresAt: new Date('2026-12-01T12:00:00Z'), timeZone: 'Europe/Berlin' },
  });
  equal(
    text.reveal().split('\n\n')[1],
    'Northwind invites you to join them as an admin on Roll Call. To accept, open this link until 2026-12-01 at 13:00 (Europe/Berlin):',
  );
});

test('each mail has its whole text, with the name of the service, the time and the link', async () => {
  const { core, sent, setFailures, add, send } = await mailService();
  const invited = { email: 'dana@example.test', firstName: 'Dana', lastName: 'Kim', sendMail: true };
  const { invitationUrl } = await core.inviteUser({ organization: northwind, ...invited });
  const texts: Record<string, readonly string[]> = {
    invitation: [
      'Northwind invites you',
      'Northwind invites you to join them on Roll Call. To accept, open this link:',
      invitationUrl,
      'Anyone with this link can accept the invitation, so share it with no one else. If you do not know who invites you, ignore this email.',
    ],
    'password-reset': [
      'Reset your password for Roll Call',
      'Someone asked to reset the password of your account with Roll Call.',
      'To choose a new password, open this link. It works once, within 30 minutes:',
      'https://example.test/reset-password/password-reset-1',
      'If you did not ask for it, ignore this email. Your password stays as it is.',
    ],
    'password-changed': [
      'Your password for Roll Call was changed',
      'The password of your account with Roll Call was changed on 2026-11-20 at 12:00 UTC. You were signed out everywhere else.',
      'If this was not you, reset your password on the sign-in page, and tell the people who run this service.',
    ],
    'second-factor-added': [
      'A second factor for Roll Call was added',
      'A passkey or an authenticator app was added on 2026-11-20 at 12:00 UTC, for signing in to your account with Roll Call.',
      'If this was not you, change your password, and tell the people who run this service.',
    ],
    'second-factor-removed': [
      'A second factor for Roll Call was removed',
      'A passkey or an authenticator app was removed on 2026-11-20 at 12:00 UTC, for signing in to your account with Roll Call.',
      'If this was not you, change your password, and tell the people who run this service.',
    ],
    'access-key-replaced': [
      'The access key of Northwind was replaced',
      'The access key of Northwind was replaced on 2026-11-20 at 12:00 UTC. Programs need the new one.',
      'If nobody of you did this, replace it again, and change your passwords. The activity says who it was:',
      'https://example.test/organizations/1/activity',
    ],
    'webhook-working': [
      'The webhook of Northwind works again',
      'Deliveries to the webhook of Northwind arrive again.',
      'Events whose delivery failed are not sent again by themselves. To resend them, open:',
      'https://example.test/organizations/1/webhooks',
    ],
    'webhook-failing': [
      'The webhook of Northwind is failing',
      'A delivery to the webhook of Northwind failed on 2026-11-20 at 12:00 UTC.',
      'To see each attempt, and to send the events again once your endpoint works, open:',
      'https://example.test/organizations/1/webhooks',
      'We’ll tell you when it works again.',
    ],
  };
  for (const kind of Object.keys(texts) as MailKind[]) {
    if (kind !== 'invitation') await add(kind);
    setFailures(kind === 'webhook-failing' ? 1 : 0);
    deepEqual(await send(), [sentMail(kind)]);
    const [subject, ...paragraphs] = texts[kind] ?? [];
    const { to, subject: shown, text } = sent.at(-1) as Mail;
    deepEqual([to, shown], [kind === 'invitation' ? invited.email : owner.email, subject]);
    equal(text.reveal(), `Hello,\n\n${paragraphs.join('\n\n')}\n`);
  }
});

test('times are in the zone of the reader’s organizations, if they have one, and a failure has its reason', async () => {
  const { core, sent, setFailures, add, send } = await mailService();
  const timeZone = 'America/St_Johns';
  const textOf = async (kind: MailKind, email = owner.email) => {
    await add(kind, { email });
    await send();
    return sent.at(-1)?.text.reveal() ?? '';
  };
  await core.setTimeZone({ organization: { id: 1 }, timeZone });
  setFailures(2, 'answered 500');
  match(
    await textOf('webhook-failing'),
    /have failed since 2026-11-20 at 08:30 \(America\/St_Johns\)\. The newest: answered 500\.\n/,
  );
  match(await textOf('access-key-replaced'), /replaced on 2026-11-20 at 08:30 \(America\/St_Johns\)\./);
  // The person belongs to another organization, which has no zone.
  match(await textOf('password-changed'), /changed on 2026-11-20 at 12:00 UTC\./);
  await core.setTimeZone({ organization: { id: 3 }, timeZone });
  match(await textOf('password-changed'), /changed on 2026-11-20 at 08:30 \(America\/St_Johns\)\./);
});

test('a mail that is not taken is tried again after 30 seconds, then less and less often', async () => {
  const { clock, answerWith, add, send } = await mailService();
  const kind = 'password-changed';
  const postponed = [{ kind, outcome: 'postponed', reason: away.reason }];
  await add(kind);
  answerWith(away);
  deepEqual(await send(), postponed);
  for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
    clock.advance(seconds * SECOND_MS - 1);
    deepEqual(await send(), [], `${seconds} seconds`);
    clock.advance(1);
    deepEqual(await send(), postponed, `${seconds} seconds`);
  }
});

test('a mail that is sent, refused, dropped or given up is never tried again', async () => {
  const { clock, sent, answerWith, add, send } = await mailService();
  await add('password-changed');
  await add('password-changed', { email: 'nobody@example.test' });
  await add('access-key-replaced', { email: 'nobody@example.test' });
  deepEqual(await send(), [
    sentMail('password-changed'),
    dropped('password-changed'),
    dropped('access-key-replaced'),
  ]);
  equal(sent.length, 1);
  await add('password-reset');
  answerWith({ outcome: 'refused', reason: 'no such mailbox' });
  deepEqual(await send(), [{ kind: 'password-reset', outcome: 'failed', reason: 'no such mailbox' }]);
  answerWith({ outcome: 'sent' });
  await add('webhook-working');
  clock.advance(3 * DAY_MS);
  deepEqual(await send(), [
    { kind: 'webhook-working', outcome: 'failed', reason: 'it has waited for three days' },
  ]);
  for (let hour = 0; hour < 3; hour += 1) {
    clock.advance(60 * MINUTE_MS);
    deepEqual(await send(), []);
  }
  equal(sent.length, 2);
});

test('a mail whose process crashed is sent after ten minutes, and the slow process changes nothing then', async () => {
  const { clock, answerWith, add, send } = await mailService();
  const answers: ((answer: SentMail) => void)[] = [];
  answerWith(() => new Promise<SentMail>((resolve) => answers.push(resolve)));
  await add('password-changed');
  const first = send();
  clock.advance(10 * MINUTE_MS - 1);
  deepEqual(await send(), []);
  clock.advance(1);
  const second = send();
  await until(() => answers.length === 2);
  answers[0]?.(away);
  await first;
  clock.advance(5 * MINUTE_MS);
  deepEqual(await send(), []);
  answers[1]?.({ outcome: 'sent' });
  deepEqual(await second, [sentMail('password-changed')]);
  clock.advance(10 * MINUTE_MS);
  deepEqual(await send(), []);
});

test('no more mails are sent at once than the limit says, and none without a mailer', async () => {
  const { add, send } = await mailService();
  for (let count = 0; count < 3; count += 1) await add('password-changed');
  deepEqual([(await send(2)).length, (await send(2)).length], [2, 1]);
  const without = await mailService({ mailer: false });
  await without.add('password-changed');
  deepEqual(await without.send(), []);
  const at = without.clock.now();
  equal((await without.ports.mails.claim({ limit: 9, claim: testUuid(1), at, until: at })).length, 1);
});

test('an error of the storage is reported, whatever becomes of the mail', async () => {
  const ends: Readonly<Record<string, (service: Service) => unknown>> = {
    sent: ({ add }) => add('password-changed'),
    dropped: ({ add }) => add('password-changed', { email: 'nobody@example.test' }),
    refused({ add, answerWith }) {
      answerWith({ outcome: 'refused', reason: 'no such mailbox' });
      return add('password-changed');
    },
    'given up': ({ add, clock }) => add('password-changed').then(() => clock.advance(3 * DAY_MS)),
    postponed({ add, answerWith }) {
      answerWith(away);
      return add('password-changed');
    },
    'held back': async ({ add, send }) => {
      for (let count = 0; count < 10; count += 1) await add('access-key-replaced');
      await send();
      await add('access-key-replaced');
    },
  };
  for (const [end, prepare] of Object.entries(ends)) {
    const service = await mailService();
    await prepare(service);
    const fail = () => Promise.reject(new Error('the database is away'));
    Object.assign(service.ports.mails, { finish: fail, postpone: fail });
    await rejects(service.send(), /the database is away/, end);
  }
});

test('an owner gets ten mails an hour about webhooks, and an organization sends a hundred', async () => {
  const { clock, load, add, send } = await mailService();
  const owners = Array.from({ length: 11 }, (_, index) => aUser(10 + index));
  const memberships = owners.map(({ id }) => ({ userId: id, role: 'owner', idpId: null }) as const);
  await load({
    users: owners,
    memberships: memberships.flatMap((one) => [1, 2].map((organizationId) => ({ ...one, organizationId }))),
  });
  const kind = 'webhook-working';
  for (const { email } of owners.slice(0, 10))
    for (let count = 0; count < 10; count += 1) await add(kind, { email });
  deepEqual(new Set((await send(100)).map(({ outcome }) => outcome)), new Set(['sent']));
  const [first, eleventh] = [owners[0]?.email, owners[10]?.email];
  // One second before the end of the hour, both limits still hold.
  clock.advance(60 * MINUTE_MS - SECOND_MS);
  await add(kind, { email: eleventh ?? '' });
  await add(kind, { email: first ?? '', organizationId: 2 });
  deepEqual(await send(), [tooMany(kind), tooMany(kind)]);
  deepEqual(await send(), []);
  clock.advance(SECOND_MS);
  deepEqual(await send(), [sentMail(kind), sentMail(kind)]);
});

test('an owner gets ten mails an hour about the access key of an organization, whatever else there was', async () => {
  const { load, add, send } = await mailService();
  const kind = 'access-key-replaced';
  await load({ memberships: [{ organizationId: 2, userId: 1, role: 'owner', idpId: null }] });
  for (let count = 0; count < 10; count += 1) await add('webhook-working');
  for (let count = 0; count < 10; count += 1) await add(kind);
  deepEqual(new Set((await send()).map(({ outcome }) => outcome)), new Set(['sent']));
  await add(kind);
  await add(kind, { organizationId: 2 });
  deepEqual(await send(), [tooMany(kind), sentMail(kind)]);
});

test('an organization sends a hundred mails an hour about its access key', async () => {
  const { clock, load, add, send } = await mailService();
  const owners = Array.from({ length: 101 }, (_, index) => aUser(10 + index));
  const memberships = owners.map(({ id }) => ({ userId: id, role: 'owner', idpId: null }) as const);
  await load({ users: owners, memberships: memberships.map((one) => ({ ...one, organizationId: 1 })) });
  const kind = 'access-key-replaced';
  for (const { email } of owners) await add(kind, { email });
  deepEqual(
    (await send(101)).map(({ outcome }) => outcome),
    [...Array.from({ length: 100 }, () => 'sent'), 'postponed'],
  );
  clock.advance(60 * MINUTE_MS);
  deepEqual(await send(), [sentMail(kind)]);
});

test('a mail that could not be sent is not counted', async () => {
  for (const kind of ['webhook-working', 'access-key-replaced'] as const) {
    const { clock, answerWith, add, send } = await mailService();
    for (let count = 0; count < 10; count += 1) await add(kind);
    // The mail server is away for more attempts than the limits allow.
    answerWith(away);
    for (let round = 0; round < 12; round += 1) {
      deepEqual(new Set((await send()).map(({ reason }) => reason)), new Set([away.reason]));
      clock.advance(15 * MINUTE_MS);
    }
    answerWith({ outcome: 'sent' });
    deepEqual(await send(), Array(10).fill(sentMail(kind)));
    await add(kind);
    deepEqual(await send(), [tooMany(kind)]);
  }
});

test('a mail that one limit holds back is not counted by the other', async () => {
  for (const kind of ['webhook-working', 'access-key-replaced'] as const) {
    const { load, add, send } = await mailService();
    const owners = Array.from({ length: 10 }, (_, index) => aUser(10 + index));
    const memberships = owners.map(({ id }) => ({ userId: id, role: 'owner', idpId: null }) as const);
    await load({
      users: owners,
      memberships: memberships.flatMap((one) => [1, 2].map((organizationId) => ({ ...one, organizationId }))),
    });
    const addTo = async (id: number, { organizationId = 1, times = 10 } = {}) => {
      for (let count = 0; count < times; count += 1)
        await add(kind, { email: aUser(id).email, organizationId });
    };
    /** One after the other. */
    const sendAll = async (times: number) => {
      const reports = [];
      for (let count = 0; count < times; count += 1) reports.push(...(await send(1)));
      return reports;
    };
    // The recipient has had enough, which costs the organization nothing.
    await addTo(1, { times: 12 });
    deepEqual(await sendAll(12), [...Array(10).fill(sentMail(kind)), ...Array(2).fill(tooMany(kind))]);
    for (const { id } of owners.slice(0, 9)) await addTo(id);
    deepEqual(await send(90), Array(90).fill(sentMail(kind)));
    // The organization has sent enough, which costs the recipient nothing.
    await addTo(19, { times: 12 });
    deepEqual(await sendAll(12), Array(12).fill(tooMany(kind)));
    await addTo(19, { organizationId: 2 });
    deepEqual(await send(), Array(10).fill(sentMail(kind)));
  }
});

test('a count that cannot be taken back is an error', async () => {
  const { ports, answerWith, add, send } = await mailService();
  ports.limits.forgive = () => Promise.reject(new Error('the limits are away'));
  answerWith(away);
  await add('webhook-working');
  await rejects(send(), /the limits are away/);
  ports.limits.consume = async ({ name }) => (name === 'mail-organization' ? 60 : 0);
  await add('webhook-working');
  await rejects(send(), /the limits are away/);
});

test('mails about passwords and invitations are not counted for an organization or its owners', async () => {
  const { core, load, add, send } = await mailService();
  const users = Array.from({ length: 110 }, (_, index) => aUser(10 + index));
  await load({ users });
  for (const { email } of users) await add('password-changed', { email });
  for (let count = 0; count < 11; count += 1) await add('password-changed');
  deepEqual(new Set((await send(200)).map(({ outcome }) => outcome)), new Set(['sent']));
  const text = users.map(({ id }) => `guest-${id}@example.test,Gil,Guest`).join('\n');
  await core.inviteLines({ organization: northwind, text, sendMail: true });
  deepEqual(new Set((await send(200)).map(({ outcome }) => outcome)), new Set(['sent']));
});

test('a mail about an organization goes to its owners only, and names the right one', async () => {
  const { sent, add, send } = await mailService();
  const kind = 'access-key-replaced';
  await add(kind, { email: aUser(2).email });
  deepEqual(await send(), [dropped(kind)]);
  await add(kind, { organizationId: 3 });
  deepEqual(await send(), [sentMail(kind)]);
  ok(sent[0]?.text.reveal().includes('The access key of Organization 3 was replaced'));
});

test('what is no longer so is not mailed', async () => {
  const { setFailures, add, send } = await mailService();
  for (const failures of [1, 2]) {
    setFailures(failures);
    await add('webhook-working');
    deepEqual(await send(), [dropped('webhook-working')]);
  }
  setFailures(0);
  await add('webhook-failing');
  await add('invitation', { invitationId: testUuid(99) });
  deepEqual(await send(), [dropped('webhook-failing'), dropped('invitation')]);
});

test('a link that the program has not given is named', async () => {
  for (const [link, kind] of [
    ['passwordReset', 'password-reset'],
    ['activity', 'access-key-replaced'],
    ['webhook', 'webhook-working'],
  ] as const) {
    const { add, send } = await mailService({ without: link });
    await add(kind);
    await rejects(send(), new TypeError(`links.${link} is missing`));
  }
});

/** Lets pending work go on until this is so. */
async function until(isSo: () => boolean): Promise<void> {
  for (let round = 0; round < 100 && !isSo(); round += 1) await Promise.resolve();
}
