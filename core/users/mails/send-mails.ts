import type { Limit } from '../../access/ports/limits.js';
import type { Uses } from '../../deps.js';
import { isPendingAt } from '../invitations/invitation.js';
import { passwordResetLifetimeMs } from '../passwords/password-reset.js';
import type { Mail, Mailer } from '../ports/mailer.js';
import type { ClaimedMail, MailKind } from '../ports/mails.js';
import {
  accessKeyReplacedText,
  invitationText,
  type MailText,
  passwordChangedText,
  passwordResetText,
  secondFactorText,
  webhookFailingText,
  webhookWorkingText,
} from './mail-text.js';

/** A mail whose process has crashed is sent by another one after this time, which is longer than an attempt lasts. */
const CLAIM_MS = 10 * 60 * 1000;
const FIRST_PAUSE_MS = 30 * 1000;
const MAX_PAUSE_MS = 15 * 60 * 1000;
/** A mail that could not be sent for this long is given up, and so is one that a restored database still has. */
const GIVE_UP_AFTER_MS = 3 * 24 * 60 * 60 * 1000;
const HOUR_SECONDS = 60 * 60;
/** Mails about webhooks. Those about passwords and invitations are limited where someone asks for them. */
const webhookPerRecipient: Limit = { name: 'mail-recipient', points: 10, seconds: HOUR_SECONDS };
const webhookPerOrganization: Limit = { name: 'mail-organization', points: 100, seconds: HOUR_SECONDS };
/**
 * Mails that protect an organization have counters of their own, and each organization has its own for a recipient: neither a
 * webhook that fails now and then nor another organization may hold them back.
 */
const accessKeyPerRecipient: Limit = { name: 'access-key-mail-recipient', points: 10, seconds: HOUR_SECONDS };
const accessKeyPerOrganization: Limit = {
  name: 'access-key-mail-organization',
  points: 100,
  seconds: HOUR_SECONDS,
};

/** The request of `sendMails`. */
export interface SendMails {
  /** The maximum number of mails to send at once. */
  readonly limit: number;
}

/** What became of a mail. It names neither the recipient nor the text. */
export interface MailReport {
  /** What the mail is about. */
  readonly kind: MailKind;
  /** `dropped`: nobody has the address, or the mail is out of date. `postponed`: to be tried again. `failed`: given up. */
  readonly outcome: 'sent' | 'dropped' | 'postponed' | 'failed';
  /** Why it was not sent; null if it was sent or dropped. */
  readonly reason: string | null;
}

type SendNeeds = Uses<typeof sendMails>;

/** Sends the mails that are due, and returns what became of each. */
export async function sendMails(
  deps: Uses<
    | 'clock.now'
    | 'deliveries.list'
    | 'ids.uuid'
    | 'invitations.byId'
    | 'limits.consume'
    | 'limits.forgive'
    | 'links.activity'
    | 'links.invitation'
    | 'links.passwordReset'
    | 'links.webhook'
    | 'mailer.send'
    | 'mails.claim'
    | 'mails.finish'
    | 'mails.postpone'
    | 'members.ofUser'
    | 'organizations.byId'
    | 'passwordResets.store'
    | 'secrets.invitationToken'
    | 'secrets.newToken'
    | 'settings.serviceName'
    | 'users.byEmail'
    | 'webhooks.health'
  >,
  { limit }: SendMails,
): Promise<readonly MailReport[]> {
  const { mailer } = deps;
  if (mailer === undefined) return [];
  const at = deps.clock.now();
  const until = new Date(at.getTime() + CLAIM_MS);
  const claimed = await deps.mails.claim({ limit, claim: deps.ids.uuid(), at, until });
  return Promise.all(claimed.map((mail) => send(deps, { mailer, claimed: mail })));
}

async function send(
  deps: SendNeeds,
  { mailer, claimed }: { readonly mailer: Pick<Mailer, 'send'>; readonly claimed: ClaimedMail },
): Promise<MailReport> {
  const { kind } = claimed;
  const start = deps.clock.now().getTime();
  if (start - claimed.createdAt.getTime() >= GIVE_UP_AFTER_MS) {
    await deps.mails.finish(claimed);
    return { kind, outcome: 'failed', reason: 'it has waited for three days' };
  }
  const mail = await write(deps, claimed);
  if (mail === null) {
    await deps.mails.finish(claimed);
    return { kind, outcome: 'dropped', reason: null };
  }

  const counters = countersOf(claimed);
  const seconds = await count(deps, counters);
  if (seconds > 0) {
    await postpone(deps, claimed, seconds * 1000);
    return { kind, outcome: 'postponed', reason: 'the recipient or the organization has had too many mails' };
  }
  const result = await mailer.send(mail);
  if (result.outcome === 'sent') {
    await deps.mails.finish(claimed);
    return { kind, outcome: 'sent', reason: null };
  }
  const { reason } = result;
  if (result.outcome === 'refused') {
    await deps.mails.finish(claimed);
    return { kind, outcome: 'failed', reason };
  }
  await takeBack(deps, counters);
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** claimed.attempts);
  await postpone(deps, claimed, pause);
  return { kind, outcome: 'postponed', reason };
}

async function postpone(deps: SendNeeds, { id, claim }: ClaimedMail, milliseconds: number): Promise<void> {
  const dueAt = new Date(deps.clock.now().getTime() + milliseconds);
  await deps.mails.postpone({ id, claim, dueAt });
}

interface Counter {
  readonly limit: Limit;
  readonly subject: string;
}

/** Where a mail about an organization counts, so that nobody can flood its owners. Invitations count where they are made. */
function countersOf({ kind, email, organizationId }: ClaimedMail): readonly Counter[] {
  const organization = String(organizationId);
  if (kind === 'access-key-replaced')
    return [
      { limit: accessKeyPerRecipient, subject: `${organization} ${email}` },
      { limit: accessKeyPerOrganization, subject: organization },
    ];
  if (kind === 'webhook-failing' || kind === 'webhook-working')
    return [
      { limit: webhookPerRecipient, subject: email },
      { limit: webhookPerOrganization, subject: organization },
    ];
  return [];
}

/** Counts a mail everywhere, or nowhere if it must wait. Returns the seconds to wait. */
async function count({ limits }: SendNeeds, counters: readonly Counter[]): Promise<number> {
  for (const [index, { limit, subject }] of counters.entries()) {
    const seconds = await limits.consume(limit, subject);
    if (seconds > 0) {
      await takeBack({ limits }, counters.slice(0, index));
      return seconds;
    }
  }
  return 0;
}

/** Mails that were not sent do not count. */
async function takeBack({ limits }: Uses<'limits.forgive'>, counters: readonly Counter[]): Promise<void> {
  for (const { limit, subject } of counters) await limits.forgive(limit, subject);
}

/** Writes the mail as it is sent now; null: it is dropped. */
async function write(deps: SendNeeds, mail: ClaimedMail): Promise<Mail | null> {
  const text = await textFor(deps, mail);
  return text === null ? null : { to: mail.email, ...text };
}

async function textFor(deps: SendNeeds, mail: ClaimedMail): Promise<MailText | null> {
  const { kind, email, createdAt: at } = mail;
  if (kind === 'password-reset') return resetText(deps, email);
  if (kind === 'invitation') return pendingInvitationText(deps, mail);
  const user = await deps.users.byEmail(email);
  if (user === null) return null;
  const memberships = await deps.members.ofUser(user.id);
  if (kind === 'password-changed' || kind === 'second-factor-added' || kind === 'second-factor-removed') {
    const [timeZone = null, ...others] = new Set(
      memberships.map(({ organization }) => organization.timeZone),
    );
    const { serviceName } = deps.settings;
    const about = { serviceName, at, timeZone: others.length > 0 ? null : timeZone };
    return kind === 'password-changed' ? passwordChangedText(about) : secondFactorText({ ...about, kind });
  }

  const owned = memberships.find(
    ({ organization, role }) => organization.id === mail.organizationId && role === 'owner',
  );
  if (owned === undefined) return null;
  const { organization } = owned;
  const about = { organization: organization.name, timeZone: organization.timeZone };
  if (kind === 'access-key-replaced')
    return accessKeyReplacedText({ ...about, at, url: urlOf(deps, 'activity', organization.id) });
  const { failuresInRow, failingSince } = await deps.webhooks.health(organization.id);
  const url = urlOf(deps, 'webhook', organization.id);
  if (kind === 'webhook-working') return failuresInRow > 0 ? null : webhookWorkingText({ ...about, url });
  if (failingSince === null) return null;
  const reason = await reasonOfNewestFailure(deps, organization.id);
  return webhookFailingText({ ...about, url, at: failingSince, failuresInRow, reason });
}

/** Null: the delivery that failed is not kept any more, or was resent. */
async function reasonOfNewestFailure(
  { deliveries }: Uses<'deliveries.list'>,
  organizationId: number,
): Promise<string | null> {
  const [newest] = await deliveries.list({ organizationId, state: 'failed', isTest: false, limit: 1 });
  return newest?.attempts.at(-1)?.reason ?? null;
}

async function resetText(deps: SendNeeds, email: string): Promise<MailText | null> {
  const { token, hash } = deps.secrets.newToken('password-reset');
  const now = deps.clock.now();
  const expiresAt = new Date(now.getTime() + passwordResetLifetimeMs);
  const user = await deps.passwordResets.store({ hash, email, createdAt: now, expiresAt });
  const url = deps.links.passwordReset?.(token);
  if (url === undefined) throw new TypeError('links.passwordReset is missing');
  return user === null ? null : passwordResetText({ serviceName: deps.settings.serviceName, url });
}

async function pendingInvitationText(deps: SendNeeds, mail: ClaimedMail): Promise<MailText | null> {
  const { organizations, invitations, links, secrets, settings, clock } = deps;
  const invitation = await invitations.byId(mail.invitationId ?? '');
  if (invitation === null || !isPendingAt(invitation, clock.now())) return null;
  const organization = await organizations.byId(invitation.organizationId);
  if (organization === null) return null;
  const url = links.invitation(secrets.invitationToken(invitation));
  const { name, timeZone } = organization;
  return invitationText({
    ...{ serviceName: settings.serviceName, organization: name, timeZone, url },
    ...{ role: invitation.role, expiresAt: invitation.expiresAt },
  });
}

function urlOf({ links }: SendNeeds, page: 'activity' | 'webhook', organizationId: number): string {
  const url = links[page]?.(organizationId);
  if (url === undefined) throw new TypeError(`links.${page} is missing`);
  return url;
}
