import type { Evidence } from '../checker.js';
import { type History, type Op, ofKind, shortId, shortKey } from '../history.js';
import { type Model, type Operation, smallestFailure } from '../linearizability.js';
import { tellEnd } from '../story.js';
import { configurationsOf } from './configurations.js';
import { departures, isLostUse, mayHaveHappened } from './may.js';
import { isTestSend, readSince } from './signatures.js';

/**
 * What must look as if one request came after the other: the access keys of an organization, whether a login link is used,
 * and the configuration of a webhook with the requests that are sent as it says. No instance may answer from an older state
 * (decisions 19, 21 and 23: at once, once, and as it is when sending).
 */
export function checkRegisters(evidence: Evidence): readonly string[] {
  const { history, finals } = evidence;
  return [
    ...finals.flatMap(({ org }) => [
      ...explain(accessKeys, keyOperations(history, org), `the access keys of organization ${org}`),
      ...explain(webhooks, webhookOperations(evidence, org), `the webhook of organization ${org}`),
    ]),
    ...ofKind(history, 'link').flatMap((link) =>
      link.token === null ? [] : explain(loginLinks, linkOperations(history, link), `the link ${link.token}`),
    ),
  ];
}

interface Told {
  /** One sentence. */
  readonly text: () => string;
}

function explain<State, Call extends Told>(
  model: Model<State, Call>,
  operations: readonly Operation<Call>[],
  what: string,
): readonly string[] {
  const failure = smallestFailure(model, operations);
  if (failure === null) return [];
  const lines = failure.map(({ call, start, end }) => {
    const until = Number.isFinite(end) ? Math.round(end) : 'no answer yet';
    return `  [${Math.round(start)} – ${until}] ${call.text()}`;
  });
  return [[`no order of the requests explains ${what}`, ...lines].join('\n')];
}

const textOf = (op: Op) => (): string => tellEnd(op);

type KeyCall = Told &
  (
    | { readonly is: 'replace'; readonly key: string; readonly keepsOld: boolean }
    | { readonly is: 'use'; readonly key: string; readonly works: boolean }
  );

interface Keys {
  readonly current: string | null;
  /** The one before, while it is kept. */
  readonly kept: string | null;
}

const accessKeys: Model<Keys, KeyCall> = {
  initial: { current: null, kept: null },
  step(state, call) {
    if (call.is === 'replace') return { current: call.key, kept: call.keepsOld ? state.current : null };
    const isValid = call.key === state.current || call.key === state.kept;
    return isValid === call.works ? state : null;
  },
  keyOf: ({ current, kept }) => `${current} ${kept}`,
  isRead: ({ is }) => is === 'use',
};

function keyOperations(history: History, org: number): readonly Operation<KeyCall>[] {
  const replacements = ofKind(history, 'replaceKey').filter((op) => op.org === org && mayHaveHappened(op));
  const uses = (kind: 'authenticate' | 'call', refusal: string): readonly Operation<KeyCall>[] =>
    ofKind(history, kind)
      .filter((op) => op.org === org && (op.outcome === 'ok' || op.code === refusal))
      .map((op) => ({
        start: op.start,
        end: op.end,
        call: { is: 'use', key: op.key, works: op.outcome === 'ok', text: textOf(op) },
      }));
  return [
    ...replacements.map((op, index): Operation<KeyCall> => {
      // Without an answer nobody knows the key.
      const key = op.key ?? `unknown ${index}`;
      const call = { is: 'replace', key, keepsOld: op.keepsOld, text: textOf(op) } as const;
      return { start: op.start, end: op.end, call };
    }),
    ...uses('authenticate', 'invalid-access-key'),
    ...uses('call', 'unauthorized-access'),
  ];
}

type LinkCall = Told & { readonly is: 'issue' | 'end' | 'redeem' | 'find-used' | 'find-ended' };
type LinkState = 'none' | 'open' | 'used' | 'ended';

const loginLinks: Model<LinkState, LinkCall> = {
  initial: 'none',
  step(state, { is }) {
    switch (is) {
      case 'issue':
        return 'open';
      case 'end':
        return state === 'none' ? 'none' : 'ended';
      case 'redeem':
        return state === 'open' ? 'used' : null;
      case 'find-used':
        return state === 'used' || state === 'ended' ? state : null;
      case 'find-ended':
        return state === 'ended' ? state : null;
    }
  },
  keyOf: (state) => state,
  isRead: ({ is }) => is === 'find-used' || is === 'find-ended',
};

function linkOperations(history: History, link: Op<'link'>): readonly Operation<LinkCall>[] {
  const redemptions = ofKind(history, 'redeem').filter((op) => op.token === link.token);
  const as = (is: LinkCall['is'], op: Op): Operation<LinkCall> => ({
    start: op.start,
    end: op.end,
    call: { is, text: textOf(op) },
  });
  return [
    as('issue', link),
    ...departures(history, link)
      .filter(mayHaveHappened)
      .map((op) => as('end', op)),
    ...redemptions.flatMap((op): readonly Operation<LinkCall>[] => {
      const is = mayHaveHappened(op) ? 'redeem' : findings[op.code ?? ''];
      return is === undefined ? [] : [as(is, op)];
    }),
    // An operation without an end may never have happened.
    ...redemptions
      .filter((op) => isLostUse(history, op))
      .map((op) => ({ ...as('redeem', op), end: Number.POSITIVE_INFINITY })),
  ];
}

const findings: Readonly<Record<string, LinkCall['is']>> = {
  'login-link-used': 'find-used',
  'login-link-unknown': 'find-ended',
};

type WebhookCall = Told &
  (
    | {
        readonly is: 'configure';
        /** Null: it stays. */
        readonly url: string | null;
        readonly enabled: boolean;
        readonly rotates: boolean;
        /** Null: not told. */
        readonly secret: string | null;
        readonly isAnswered: boolean;
        readonly name: string;
      }
    | { readonly is: 'read'; readonly url: string | null; readonly enabled: boolean }
    | {
        readonly is: 'send';
        readonly url: string;
        /** A test is sent while the webhook is off, too. */
        readonly needsEnabled: boolean;
        readonly secret: string;
      }
  );

interface Configured {
  readonly url: string | null;
  readonly enabled: boolean;
  readonly secret: string | null;
}

/** A secret whose answer was lost. */
const LOST = 'lost secret of ';

const webhooks: Model<Configured, WebhookCall> = {
  initial: { url: null, enabled: false, secret: null },
  step(state, call) {
    if (call.is === 'read') return call.url === state.url && call.enabled === state.enabled ? state : null;
    if (call.is === 'send') {
      const isSigned = state.secret?.startsWith(LOST) || state.secret === call.secret;
      return state.url === call.url && (state.enabled || !call.needsEnabled) && isSigned ? state : null;
    }
    const url = call.url ?? state.url;
    if (url === null) return null;
    const makesSecret = state.secret === null || call.rotates;
    if (call.isAnswered && makesSecret !== (call.secret !== null)) return null;
    const made = call.secret ?? `${LOST}${call.name}`;
    return { url, enabled: call.enabled, secret: makesSecret ? made : state.secret };
  },
  keyOf: ({ url, enabled, secret }) => `${url} ${enabled} ${secret}`,
  isRead: ({ is }) => is !== 'configure',
};

function webhookOperations(
  { history, signaturesOf }: Evidence,
  org: number,
): readonly Operation<WebhookCall>[] {
  const sends = history.sends.filter(
    ({ url, headers }) => url.includes(`org-${org}.`) && Object.keys(headers).length > 0,
  );
  return [
    ...configurationsOf(history, org).map((op, index): Operation<WebhookCall> => {
      const { start, end, url, enabled, rotates, secret } = op;
      const isAnswered = op.outcome === 'ok';
      const change = { is: 'configure', url, enabled, rotates, secret, isAnswered } as const;
      return { start, end, call: { ...change, name: String(index), text: textOf(op) } };
    }),
    ...ofKind(history, 'readWebhook').flatMap((op): readonly Operation<WebhookCall>[] =>
      op.org === org && op.outcome === 'ok' && op.enabled !== null
        ? [
            {
              start: op.start,
              end: op.end,
              call: { is: 'read', url: op.url, enabled: op.enabled, text: textOf(op) },
            },
          ]
        : [],
    ),
    ...sends.map((send): Operation<WebhookCall> => {
      const secret = signaturesOf(send).standard[0] ?? '';
      const text = () =>
        `Event ${shortId(send.eventId)} is sent to ${send.url}, signed with ${shortKey(secret)}.`;
      return {
        start: readSince(history, send),
        end: send.start,
        call: { is: 'send', url: send.url, needsEnabled: !isTestSend(send), secret, text },
      };
    }),
  ];
}
