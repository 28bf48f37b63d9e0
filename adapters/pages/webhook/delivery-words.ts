import type { AttemptPhase, Delivery, DeliveryState } from '@rollcall/core';
import type { Tone } from '../design/parts.js';

/** What the log of deliveries says, for people. */

export const stateWords: Readonly<Record<DeliveryState, { readonly words: string; readonly tone: Tone }>> = {
  pending: { words: 'Pending', tone: 'waiting' },
  sending: { words: 'On its way', tone: 'waiting' },
  delivered: { words: 'Delivered', tone: 'good' },
  failed: { words: 'Failed', tone: 'wrong' },
  skipped: { words: 'Skipped', tone: 'over' },
  held: { words: 'Held', tone: 'wrong' },
};

/** As much of a name or address as a row has room for. */
const LONGEST_SUBJECT = 60;

/** Whom the event tells of, by name and address; nothing where the body has another shape. */
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

/** Cut between characters, as people see them. */
function shortened(text: string): string {
  const characters = [...new Intl.Segmenter().segment(text.slice(0, 10 * LONGEST_SUBJECT))];
  if (characters.length <= LONGEST_SUBJECT) return text;
  return `${characters
    .slice(0, LONGEST_SUBJECT)
    .map(({ segment }) => segment)
    .join('')}…`;
}

/** What came of it: the sender's own words about the last attempt, where there was one. */
export function resultOf({
  state,
  attempts,
  isDropped,
}: Pick<Delivery, 'state' | 'attempts' | 'isDropped'>): string {
  if (state === 'skipped') return isDropped ? 'dropped while it was held' : 'the webhook was switched off';
  if (state === 'held') return 'this database was restored from a backup, so it may have been sent before';
  if (state === 'pending') return attempts.length === 0 ? 'not sent yet' : 'not sent again yet';
  if (state === 'sending') return 'no answer yet';
  return attempts.at(-1)?.reason ?? 'nothing was sent';
}

export const phaseWords: Readonly<Record<AttemptPhase, string>> = {
  address: 'nothing was sent',
  lookup: 'looking up the name',
  connect: 'connecting',
  tls: 'TLS',
  request: 'sending the request',
  answer: 'the answer',
};

/** What helps against each reason that the sender gives; the first that fits counts. */
const advices: readonly (readonly [reason: RegExp, advice: string])[] = [
  [/^answered 2/, 'All is well.'],
  [/^answered 3/, 'Save the address that your receiver redirects to.'],
  [
    /^answered 40[13]$/,
    'Your receiver refused the request: look whether it verifies with the current secret.',
  ],
  [/^answered 404$/, 'There is nothing at this path: look whether the URL is complete.'],
  [/^answered 405$/, 'Your receiver does not take POST at this path.'],
  [/^answered 429$/, 'Your receiver was asked too often: send it again later.'],
  [/^answered 4/, 'Your receiver did not accept the request: its own log says why.'],
  [/^answered 5/, 'Your receiver had an error of its own: check its log, fix it, and send this again.'],
  [/^answered /, 'Only an answer from 200 to 299 counts as delivered.'],
  [/^no connection within /, 'Check that your receiver is running and that its firewall lets us in.'],
  [/^no answer within /, 'Answer first and work afterwards: your receiver has 10 seconds.'],
  [/^not finished within /, 'The network or your receiver was too slow.'],
  [/private address$/, 'The URL leads into a private network, where we send nothing. Use a public address.'],
  [
    /^the name does not resolve$/,
    'There is no address for this name, or its name server does not answer: check the spelling.',
  ],
  [/^connection refused$/, 'Nothing listens at this address and port: is your receiver running?'],
  [/^connection (?:reset|broken|closed)/, 'Your receiver, or something before it, ended the connection.'],
  [/^no (?:connection|route)/, 'Your receiver could not be reached from here.'],
  [/^certificate expired$/, 'Renew the certificate of your receiver.'],
  [/^certificate not yet valid$/, 'The certificate begins later: check the clock of its issuer.'],
  [/^certificate is for another name$/, 'Use the name that the certificate was issued for.'],
  [
    /^certificate not trusted$/,
    'Use a certificate of a known authority, including intermediate certificates.',
  ],
  [/^TLS failed$/, 'Check that your receiver speaks HTTPS at this port, with TLS 1.2 or later.'],
  [/^the answer is not HTTP$/, 'Something other than a web server answers at this port.'],
  [/^(?:not an https URL|the URL |the request cannot )/, 'Save the URL once more as your receiver gives it.'],
  [
    /^the request could not be made$/,
    'It is our mistake. Regenerate the secret, or ask the operator of this service.',
  ],
  [
    /^the signing secret cannot be read/,
    'Regenerate the secret, or ask the people who run this service to bring its key back.',
  ],
  [/^cut off /, 'Our service was stopped meanwhile, and nobody knows whether it arrived: send it again.'],
  [/^this database was restored /, 'Send it if your receiver lacks this event id.'],
  [/^held /, 'Our database was restored from a copy. Send it again if your receiver lacks this event id.'],
];

/** What the operator of the receiver can do; null where we know no more than the reason says. */
export function adviceOn(reason: string): string | null {
  return advices.find(([pattern]) => pattern.test(reason))?.[1] ?? null;
}

/** `12 ms`, `1.5 s`; empty where an attempt was cut off. */
export function durationWords(milliseconds: number | null): string {
  if (milliseconds === null) return '';
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
