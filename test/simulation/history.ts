/** What the clients of a simulation did and learned: all that the checker knows besides the receivers' log. */

/**
 * `ok`, `refused`: the answer. `unknown`: no answer, or 503: it may have happened, now or later. `unreachable`: the
 * request did not arrive.
 */
export type Outcome = 'ok' | 'refused' | 'unknown' | 'unreachable';

interface Attempted {
  /** The number of the scheduler's step. */
  readonly start: number;
  /** Infinity if there was no answer. */
  end: number;
  readonly startedAt: number;
  endedAt: number;
  outcome: Outcome;
  /** Why it was refused, as a code of the core. */
  code: string | null;
  readonly instance: number;
}

/** What each operation is about, and what its answer told, which is null until then. */
export interface Details {
  invite: { readonly org: number; readonly email: string; uuid: string | null; token: string | null };
  /** `token`: null if a program registered the person. */
  join: {
    readonly org: number;
    readonly email: string;
    readonly token: string | null;
    readonly password: string | null;
    session: string | null;
    uuid: string | null;
  };
  revoke: { readonly org: number; readonly email: string; readonly uuid: string };
  renew: { readonly org: number; readonly email: string; readonly uuid: string; token: string | null };
  remove: { readonly org: number; readonly email: string };
  link: { readonly org: number; readonly email: string; token: string | null };
  redeem: {
    readonly org: number;
    readonly email: string;
    readonly token: string;
    session: string | null;
  };
  /** Opens the member's page. */
  visit: { readonly org: number; readonly email: string; readonly session: string };
  signIn: { readonly email: string; readonly password: string; session: string | null };
  signOut: { readonly email: string; readonly session: string };
  changePassword: {
    readonly email: string;
    readonly from: string;
    readonly to: string;
    session: string | null;
  };
  replaceKey: { readonly org: number; readonly keepsOld: boolean; key: string | null };
  authenticate: { readonly org: number; readonly key: string; token: string | null };
  /** A call with a token, of which only the authorization counts. */
  call: { readonly org: number; readonly key: string };
  /** `url`: null to keep it. `overlap`: whether a rotation keeps the old secret. */
  configure: {
    readonly org: number;
    readonly enabled: boolean;
    readonly url: string | null;
    readonly rotates: boolean;
    readonly overlap: boolean;
    readonly idempotencyKey: string | null;
    secret: string | null;
  };
  finishRotation: { readonly org: number };
  /** The webhook as it is shown. `enabled`: null until then. */
  readWebhook: { readonly org: number; url: string | null; enabled: boolean | null };
  read: {
    readonly org: number;
    readonly reader: string;
    readonly order: 'asc' | 'desc';
    readonly isFirst: boolean;
    bodies: readonly string[];
    hasMore: boolean;
  };
  redeliver: { readonly org: number; readonly eventId: string; readonly idempotencyKey: string | null };
  redeliverFailed: { readonly org: number; count: number | null };
  test: { readonly org: number; eventId: string | null; state: string | null };
  /** The operator removes the person with everything that is stored about them. */
  erase: { readonly email: string };
  /** Wrong passwords, one after the other. */
  guess: { readonly email: string };
}

export type OpKind = keyof Details;
export type Op<Kind extends OpKind = OpKind> = {
  [Each in Kind]: Attempted & { readonly did: Each } & Details[Each];
}[Kind];

/** One request that a process sent to a receiver. */
export interface Send {
  readonly eventId: string;
  readonly url: string;
  /** Empty if the request never arrived, so that nobody has seen it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly process: Process;
  readonly start: number;
  readonly startedAt: number;
  /** When the receiver had it; null: it never had. */
  arrived: number | null;
  /** When the process knew the outcome; null: it crashed before. */
  ended: number | null;
  isDelivered: boolean;
}

/** The instance of a process of which nobody knows where it ran. */
export const UNKNOWN_INSTANCE = -1;

/** One run of an instance, from its start to its crash. */
export interface Process {
  readonly instance: number;
  /** Infinity while it runs. */
  diedAt: number;
  readonly freezes: Frozen[];
}

/** When a process stood still. */
export interface Frozen {
  /** The scheduler's step before it. */
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

/** A delivery that the storage gave to a process. */
export interface Claim {
  readonly eventId: string;
  readonly deliveryId: number;
  readonly organizationId: number;
  readonly claim: string;
  readonly process: Process;
  readonly given: number;
  /** When the outcome was stored, at the latest; null: never. */
  finished: number | null;
  /** When it was stored at the earliest, if that is not known exactly. */
  readonly finishedFrom?: number;
  finishedAs: string | null;
}

/** A notice to the operator that a webhook keeps failing. */
export interface Notice {
  readonly org: number;
  readonly failuresInRow: number;
  readonly tick: number;
}

/** Which secrets signed a request, as far as clients know them. */
export interface Signatures {
  /** That of section 6.3. */
  readonly specified: string;
  /** Those of Standard Webhooks, in their order. */
  readonly standard: readonly string[];
  /** What is wrong with them, whatever the secrets are. */
  readonly problems: readonly string[];
}

export interface History {
  readonly ops: Op[];
  readonly sends: Send[];
  readonly claims: Claim[];
  readonly notices: Notice[];
  /** Errors that are neither refusals nor outages. */
  readonly bugs: string[];
}

const byKind = new WeakMap<History, Map<OpKind, readonly Op[]>>();

/** The history when nothing is added to it any more. `ofKind` looks through it once. */
export function completed(history: History): History {
  const complete = { ...history };
  const kinds = new Map<OpKind, Op[]>();
  for (const op of history.ops) {
    const same = kinds.get(op.did);
    if (same === undefined) kinds.set(op.did, [op]);
    else same.push(op);
  }
  byKind.set(complete, kinds);
  return complete;
}

export function ofKind<Kind extends OpKind>(history: History, kind: Kind): readonly Op<Kind>[] {
  const kinds = byKind.get(history);
  const ops = kinds === undefined ? history.ops.filter((op) => op.did === kind) : kinds.get(kind);
  return (ops ?? []) as unknown as readonly Op<Kind>[];
}

/** The delivery of each event, by what processes were given. */
export function deliveryIds({ claims }: History): (eventId: string) => number {
  return (eventId) => {
    const claim = claims.find((one) => one.eventId === eventId);
    if (claim === undefined) throw new Error(`No process was given the event ${eventId}`);
    return claim.deliveryId;
  };
}

/** The end of a UUID, which tells one from another here. */
export function shortId(uuid: string): string {
  const end = uuid.slice(-12);
  return `#${/^\d+$/.test(end) ? Number(end) : end}`;
}

/** The keys of the simulation count up from 0; one of a real instance can begin with a few zeros. */
const SIMULATED_KEY = '0'.repeat(12);

/** The end of an access key. */
export function shortKey(key: string): string {
  return key.startsWith(SIMULATED_KEY) ? `${Number(key)}` : `…${key.slice(-5)}`;
}
