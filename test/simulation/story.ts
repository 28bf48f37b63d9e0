import { type Op, shortId, shortKey } from './history.js';
import type { Plan } from './plan.js';

const instanceNames = ['A', 'B', 'C'];

/** One line that says who begins to do what, and on which instance. */
export function tellStart(op: Op): string {
  return `${sentence(op)} on instance ${instanceNames[op.instance] ?? op.instance}.`;
}

/** One line that says what came back. */
export function tellEnd(op: Op): string {
  const what = `${sentence(op)}:`;
  switch (op.outcome) {
    case 'ok':
      return `${what} done${learned(op)}.`;
    case 'refused':
      return `${what} refused (${op.code}).`;
    case 'unreachable':
      return `${what} the instance is down.`;
    case 'unknown':
      return `${what} no answer, or 503.`;
  }
}

function learned(op: Op): string {
  if (op.did === 'read') return `, ${op.bodies.length} events${op.hasMore ? ' and more' : ''}`;
  if (op.did === 'readWebhook') return `: ${op.enabled ? 'on' : 'off'}, with ${op.url}`;
  if (op.did === 'configure') return op.secret === null ? '' : `, the secret is ${op.secret}`;
  if ('session' in op && op.session !== null) return `, with ${op.session}`;
  if ('token' in op && op.token !== null) return `, with ${op.token}`;
  if ('key' in op && op.key !== null) return `, with key ${shortKey(op.key)}`;
  return '';
}

function sentence(op: Op): string {
  const org = 'org' in op ? `organization ${op.org}` : '';
  const who = 'email' in op ? nameOf(op.email) : '';
  switch (op.did) {
    case 'invite':
      return `${capital(org)} invites ${who}`;
    case 'join':
      return op.token === null
        ? `A program registers ${who} in ${org}`
        : `${who} accepts ${op.token} of ${org}`;
    case 'revoke':
      return `${capital(org)} revokes the invitation of ${who}`;
    case 'renew':
      return `${capital(org)} renews the invitation of ${who}`;
    case 'remove':
      return `${capital(org)} removes ${who}`;
    case 'link':
      return `${capital(org)} asks for a login link for ${who}`;
    case 'redeem':
      return `${who} signs in to ${org} with ${op.token}`;
    case 'visit':
      return `${who} opens the page of ${org} with ${op.session}`;
    case 'signIn':
      return `${who} signs in with ${op.password}`;
    case 'signOut':
      return `${who} signs out of ${op.session}`;
    case 'changePassword':
      return `${who} changes ${op.from} to ${op.to}`;
    case 'replaceKey':
      return `The owner of ${org} replaces the access key${op.keepsOld ? ' and keeps the old one' : ''}`;
    case 'authenticate':
      return `${capital(org)} authenticates with key ${shortKey(op.key)}`;
    case 'call':
      return `${capital(org)} uses a token of key ${shortKey(op.key)}`;
    case 'configure':
      return op.rotates
        ? `${capital(org)} rotates its signing secret${op.overlap ? ' and keeps the old one' : ''}${op.idempotencyKey === null ? '' : ` (${op.idempotencyKey})`}`
        : `${capital(org)} turns its webhook ${op.enabled ? 'on' : 'off'}, with ${op.url}`;
    case 'finishRotation':
      return `${capital(org)} finishes its rotation`;
    case 'readWebhook':
      return `${capital(org)} looks at its webhook`;
    case 'read':
      return `The ${op.reader} of ${org} reads the feed`;
    case 'redeliver':
      return `${capital(org)} resends event ${shortId(op.eventId)}${op.idempotencyKey === null ? '' : ` (${op.idempotencyKey})`}`;
    case 'redeliverFailed':
      return `${capital(org)} resends what failed`;
    case 'test':
      return `${capital(org)} tests its webhook`;
    case 'erase':
      return `The operator erases ${who}`;
    case 'guess':
      return `Somebody guesses the password of ${who}`;
  }
}

function nameOf(email: string): string {
  return capital(email.slice(0, email.indexOf('@')));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What is special about this plan, before the first step. */
export function tellPlan({ seed, clocks, receivers, webhooks, outages }: Plan): readonly string[] {
  const lines = [
    `Seed ${seed}, ${clocks.length === 1 ? 'one instance alone' : `${clocks.length} instances`}.`,
  ];
  for (const [index, ahead] of clocks.entries())
    if (ahead > 0)
      lines.push(`The clock of instance ${instanceNames[index]} is ${(ahead / 1_000).toFixed(1)} s ahead.`);
  for (const [index, webhook] of webhooks.entries()) {
    if (webhook === 'off') lines.push(`The webhook of organization ${index + 1} is off.`);
    if (webhook === 'none') lines.push(`Organization ${index + 1} has no webhook.`);
  }
  for (const [index, { fails, stalls, kills }] of receivers.entries())
    if (fails + stalls + kills > 0)
      lines.push(
        `The receiver of organization ${index + 1} fails ${fails}, stalls ${stalls} and ends the process ${kills} times out of 100.`,
      );
  for (const { from, to } of outages)
    lines.push(`The storage is away from ${(from / 1_000).toFixed(3)} s to ${(to / 1_000).toFixed(3)} s.`);
  return lines;
}
