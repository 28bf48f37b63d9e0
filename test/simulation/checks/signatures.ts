import { textKey } from '../chance.js';
import type { Evidence } from '../checker.js';
import { type History, type Op, ofKind, type Send } from '../history.js';
import { configurationsOf, possible } from './configurations.js';
import { mayForgetAnswers, mayHaveHappened } from './may.js';

/**
 * Each request goes to the configured URL and is signed with the current secret; while a replaced one is kept, section
 * 6.3's header is signed with that one. A call with one idempotency key rotates once.
 */
export function checkSignatures({ history, finals }: Evidence): readonly string[] {
  return [
    ...finals.flatMap(({ org }) => {
      const configurations = configurationsOf(history, org);
      return history.sends
        .filter(({ url }) => url.includes(`org-${org}.`))
        .flatMap((send) =>
          checkSend(history, { org, send, configurations }).map(
            (text) => `event #${Number(send.eventId.slice(-12))} of organization ${org} ${text}`,
          ),
        );
    }),
    ...repeatedRotations(history),
  ];
}

function checkSend(
  history: History,
  {
    org,
    send,
    configurations,
  }: { readonly org: number; readonly send: Send; readonly configurations: readonly Op<'configure'>[] },
): readonly string[] {
  const broken: string[] = [];
  const claim = history.claims
    .filter(
      ({ eventId, process, given }) =>
        eventId === send.eventId && process === send.process && given <= send.start,
    )
    .at(-1);
  const from = claim?.given ?? send.start;
  const isTest = send.headers['X-Service-Test'] !== undefined;
  // A test reads the configuration first.
  const since = isTest
    ? (ofKind(history, 'test').findLast((op) => op.org === org && op.start < send.start)?.start ?? from)
    : from;

  const urls = configurations.filter(({ url }) => url !== null);
  if (!possible(urls, since, send.start).some((op) => op?.url === send.url))
    broken.push(`was sent to ${send.url}, which is not configured`);
  const now = possible(configurations, since, send.start);
  if (!isTest && !now.some((op) => op?.enabled === true)) broken.push('was sent while the webhook was off');

  const specified = /^sha256=(.*)~(\d+)$/.exec(send.headers['X-Service-Signature'] ?? '');
  const standard = (send.headers['webhook-signature'] ?? '')
    .split(' ')
    .map((one) => /^v1,(.*)~(\d+)$/.exec(one));
  const signedText = `${send.eventId}.${send.headers['webhook-timestamp']}.${send.body}`;
  if (specified?.[2] !== String(textKey(send.body))) broken.push('has a signature of other bytes');
  if (standard.some((one) => one?.[2] !== String(textKey(signedText))))
    broken.push('has a standard signature of other bytes');
  const main = specified?.[1] ?? '';
  const [current = '', ...others] = standard.map((one) => one?.[1] ?? '');

  const secrets = configurations.filter(
    ({ rotates, secret, outcome }) => rotates || secret !== null || outcome === 'unknown',
  );
  const makers = possible(secrets, since, send.start);
  const isUnknown = makers.some((op) => op?.outcome === 'unknown');
  const maker = makers.find((op) => op?.secret === current);
  if (maker === undefined && !isUnknown)
    broken.push(`was signed with ${current}, which is not the current secret`);
  if (main !== current && !others.includes(main))
    broken.push('has a standard signature without the old secret');

  const finishes = ofKind(history, 'finishRotation').filter((op) => op.org === org && mayHaveHappened(op));
  if (main !== current) {
    const mayOverlap = isUnknown || maker?.overlap === true;
    const isFinished =
      maker !== undefined &&
      finishes.some((op) => op.outcome === 'ok' && op.start > maker.end && op.end < since);
    if (!mayOverlap || isFinished) broken.push(`was signed with the old secret ${main} after its end`);
  } else if (maker?.outcome === 'ok' && maker.overlap && maker.end < since && makers.length === 1) {
    const mayBeFinished = finishes.some((op) => op.end > maker.start && op.start < send.start);
    // A webhook that did not exist has no old secret.
    const isFirst = !secrets.some((op) => op !== maker && op.start < maker.end);
    if (!mayBeFinished && !isFirst) broken.push('was signed with the new secret while the old one is kept');
  }
  return broken;
}

function repeatedRotations(history: History): readonly string[] {
  if (mayForgetAnswers(history)) return [];
  const told = new Map<string, string>();
  const broken: string[] = [];
  for (const { org, idempotencyKey, outcome, secret } of ofKind(history, 'configure')) {
    if (idempotencyKey === null || outcome !== 'ok' || secret === null) continue;
    const name = `${org} ${idempotencyKey}`;
    const before = told.get(name);
    if (before !== undefined && before !== secret)
      broken.push(`a repeated rotation of organization ${org} made another secret`);
    told.set(name, secret);
  }
  return broken;
}
