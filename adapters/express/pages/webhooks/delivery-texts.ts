import type { AttemptPhase, Delivery, DeliveryState } from '@rollcall/core';
import { isErased } from '@rollcall/core/adapters';
import type { Tone } from '../design/components.js';

export const stateLabels: Readonly<Record<DeliveryState, { readonly label: string; readonly tone: Tone }>> = {
  pending: { label: 'Pending', tone: 'pending' },
  sending: { label: 'Sending', tone: 'pending' },
  delivered: { label: 'Delivered', tone: 'success' },
  failed: { label: 'Failed', tone: 'error' },
  skipped: { label: 'Skipped', tone: 'neutral' },
  held: { label: 'Held', tone: 'error' },
};

/** The number of characters of a name or address that fit into a row. */
const MAX_SUBJECT_LENGTH = 60;

/** The name and address of the event's user; nothing if the body has another shape. */
export function subjectOf({ body }: Pick<Delivery, 'body'>): readonly string[] {
  const { first_name: firstName, last_name: lastName, email } = userIn(body);
  const texts = [`${textOf(firstName)} ${textOf(lastName)}`.trim(), textOf(email)];
  return texts.filter((text) => text !== '').map(shortened);
}

function userIn(body: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body)?.user ?? {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Cuts a long text between visible characters. */
function shortened(text: string): string {
  const characters = [...new Intl.Segmenter().segment(text.slice(0, 10 * MAX_SUBJECT_LENGTH))];
  const next = characters[MAX_SUBJECT_LENGTH];
  return next === undefined ? text : `${text.slice(0, next.index)}…`;
}

/** The sender's reason for the result of the last attempt, or why there was no attempt. */
export function resultOf(delivery: Pick<Delivery, 'state' | 'attempts' | 'isDropped' | 'body'>): string {
  const { state, attempts, isDropped, body } = delivery;
  if (state === 'skipped' && isDropped) {
    if (isErased(body)) return 'the person was erased';
    return attempts.length === 0 ? 'dropped while it was held' : 'dismissed after it had failed';
  }
  if (state === 'skipped') return 'the webhook was off';
  if (state === 'held') return 'our database was restored from a backup, so this may already have been sent';
  if (state === 'pending') return attempts.length === 0 ? 'not sent yet' : 'not resent yet';
  if (state === 'sending') return 'no answer yet';
  return attempts.at(-1)?.reason ?? 'nothing was sent';
}

export const phaseLabels: Readonly<Record<AttemptPhase, string>> = {
  address: 'address check',
  lookup: 'DNS lookup',
  connect: 'connecting',
  tls: 'TLS',
  request: 'sending the request',
  answer: 'response',
};

/** How to fix each reason that the sender gives, by a pattern of it. The first match counts. */
const adviceByReason: Readonly<Record<string, string>> = {
  '^answered 2': 'All is well.',
  '^answered 3': 'Your endpoint redirects, and we don’t follow redirects. Save the URL that it redirects to.',
  '^answered 40[13]$':
    'Your endpoint rejected the request. Check its signing secret: while a rotation is in progress, it needs the old one as well as the new one.',
  '^answered 404$': 'Your endpoint has nothing at this path. Check the URL.',
  '^answered 405$': 'Your endpoint does not accept POST at this path.',
  '^answered 429$': 'Your endpoint received too many requests. Resend this later.',
  '^answered 4': 'Your endpoint rejected the request. Check its logs.',
  '^answered 5': 'Your endpoint had an internal error. Check its logs, fix it, then resend this.',
  '^answered ': 'Only a status from 200 to 299 counts as delivered.',
  '^no connection within ': 'Check that your endpoint is running and that its firewall lets us in.',
  '^no answer within ': 'Respond first and do the work afterwards. Your endpoint has 10 seconds.',
  '^not finished within ': 'The network or your endpoint was too slow.',
  'private address$': 'The URL points to a private network. Use a public address.',
  '^the name does not resolve$':
    'DNS has no address for this name, or its name server does not respond. Check the spelling.',
  '^connection refused$': 'Nothing listens at this address and port. Check that your endpoint is running.',
  '^connection (?:reset|broken|closed)': 'Your endpoint, or a proxy in front of it, closed the connection.',
  '^no (?:connection|route)': 'We could not reach your endpoint. Check its network and firewall.',
  '^certificate expired$': 'Renew the certificate of your endpoint.',
  '^certificate not yet valid$': 'The certificate is not valid yet. Check its start date.',
  '^certificate is for another name$':
    'Use the host name that the certificate was issued for, or get a new certificate.',
  '^certificate not trusted$':
    'Use a certificate from a trusted authority, including intermediate certificates.',
  '^certificate (?:with a key|signed)':
    'Get a new certificate, with an ECDSA key or an RSA key of 2048 bits, signed with SHA-256.',
  '^the receiver asks for a client certificate$':
    'We send no client certificate. Verify the signature of each request instead.',
  '^the receiver has no certificate for this name$':
    'Check the host name, and that your endpoint has a certificate for it.',
  '^(?:TLS failed$|the receiver (?:refused|supports|does not speak))':
    'Check that your endpoint supports HTTPS at this port, with TLS 1.2 or later.',
  '^more than 16 KB of headers$': 'Respond with fewer or shorter headers.',
  '^the answer is not HTTP$': 'This port does not respond like a web server. Check the port.',
  '^(?:not an https URL|the URL |the request cannot )': 'Check the URL and save it again.',
  '^the request could not be made$':
    'This is our mistake. Rotate the secret, or contact the people who run this service.',
  '^the signing secret cannot be read':
    'Rotate the secret, or ask the people who run this service to restore its encryption key.',
  '^cut off ': 'Our service was stopped while sending, so this may or may not have arrived. Resend it.',
  '^our database was restored ': 'Resend it if your endpoint has not received this event ID.',
};

/** How to fix the problem. Null if nothing more is known than the reason. */
export function adviceFor(reason: string): string | null {
  const known = Object.entries(adviceByReason).find(([pattern]) => new RegExp(pattern).test(reason));
  return known?.[1] ?? null;
}

/** `12 ms` or `1.5 s`. Empty if the attempt was interrupted. */
export function formatDuration(milliseconds: number | null): string {
  if (milliseconds === null) return '';
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
