import type { Evidence } from '../checker.js';
import { type History, type Op, ofKind, type Send, type Signatures, shortId } from '../history.js';
import { claimOf } from './claim-of.js';
import { configurationsOf, possible } from './configurations.js';
import { mayForgetAnswers, mayHaveHappened } from './may.js';

/**
 * Each request goes to the configured URL and is signed with the current secret; while a replaced one is kept, section
 * 6.3's header is signed with that one. A call with one idempotency key rotates once.
 */
export function checkSignatures({ history, finals, signaturesOf }: Evidence): readonly string[] {
  return [
    ...finals.flatMap(({ org }) => {
      const configurations = configurationsOf(history, org);
      return history.sends
        .filter(({ url, headers }) => url.includes(`org-${org}.`) && Object.keys(headers).length > 0)
        .flatMap((send) =>
          checkSend(history, { org, send, configurations, signatures: signaturesOf(send) }).map(
            (text) => `event ${shortId(send.eventId)} of organization ${org} ${text}`,
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
    signatures,
  }: {
    readonly org: number;
    readonly send: Send;
    readonly configurations: readonly Op<'configure'>[];
    readonly signatures: Signatures;
  },
): readonly string[] {
  const broken: string[] = [];
  const isTest = isTestSend(send);
  const since = readSince(history, send);

  const urls = configurations.filter(({ url }) => url !== null);
  if (!possible(urls, since, send.start).some((op) => op?.url === send.url))
    broken.push(`was sent to ${send.url}, which is not configured`);
  const now = possible(configurations, since, send.start);
  if (!isTest && !now.some((op) => op?.enabled === true)) broken.push('was sent while the webhook was off');

  broken.push(...signatures.problems);
  const main = signatures.specified;
  const [current = '', ...others] = signatures.standard;

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

export function isTestSend({ headers }: Send): boolean {
  return headers['X-Service-Test'] !== undefined;
}

/** From when on the configuration can have been read with which this was sent. */
export function readSince(history: History, send: Send): number {
  return claimOf(history, send)?.given ?? send.start;
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
