import { pick, type Random, randomNumbers } from '../support/random-numbers.js';
import { mix } from './chance.js';

/** Everything that a run does. The same plan always gives the same run. */
export interface Plan {
  /** Decides how long each call takes, and in which order things go on. */
  readonly seed: number;
  /** How far the clock of each instance is ahead, in milliseconds. One instance alone stands for SQLite. */
  readonly clocks: readonly number[];
  /** Which instances hear at once of the events that others store. The others search for them. */
  readonly hears: readonly boolean[];
  /** Port calls take up to so many milliseconds, most of them much less. */
  readonly latency: number;
  /** Whether an organization has a webhook at the start: `on`, `off`, or `none`. */
  readonly webhooks: readonly ('on' | 'off' | 'none')[];
  readonly receivers: readonly Receiver[];
  readonly actions: readonly Action[];
  readonly crashes: readonly Crash[];
  readonly freezes: readonly Freeze[];
  readonly outages: readonly Outage[];
  /** Out of 1,000 port calls, how many go wrong in each way; or the calls that go wrong, by key. */
  readonly faults: FaultRates | ReadonlyMap<number, FaultKind>;
}

/** Out of 100 requests of an organization, how many end in which way. The others are answered with 200. */
export interface Receiver {
  /** Answered with 500. */
  readonly fails: number;
  /** Never answered. */
  readonly stalls: number;
  /** Answered with something that ends the process. */
  readonly kills: number;
}

/**
 * `crash-before`, `crash-after`: the process dies before or after the storage did its work. `refused`: the storage is
 * away. `lost`: it did its work, and the answer is lost. `late`: the caller gives up, and then the storage does its
 * work. `slow`: it takes seconds.
 */
export const faultKinds = ['crash-before', 'crash-after', 'refused', 'lost', 'late', 'slow'] as const;
export type FaultKind = (typeof faultKinds)[number];
export type FaultRates = Readonly<Record<FaultKind, number>>;

/** An instance dies, whatever it is doing, and starts again. */
export interface Crash {
  readonly instance: number;
  readonly at: number;
  readonly downFor: number;
}

/** An instance stands still, and then goes on with what it was doing. */
export interface Freeze {
  readonly instance: number;
  readonly at: number;
  readonly lasts: number;
  /** Whether it waits until the storage gives the instance a delivery. The instance learns of it only afterwards. */
  readonly afterClaim: boolean;
}

/** The storage is away. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

interface Step {
  /** Names the action, also after others have been removed from the plan. */
  readonly id: number;
  readonly at: number;
  readonly instance: number;
  /** The client gives up after this many milliseconds without an answer. */
  readonly timeLimit: number;
  /** Whether the client repeats, on the next instance, what had no answer or 503. */
  readonly repeats: boolean;
}

/** What a client does, with what it knows by then. `pick` chooses among several things it knows: 0 is the newest. */
export type Doing =
  | { readonly do: 'invite' | 'register'; readonly org: number; readonly person: number }
  | { readonly do: 'accept'; readonly org: number; readonly person: number; readonly pick: number }
  | { readonly do: 'revoke' | 'renew' | 'remove' | 'link'; readonly org: number; readonly person: number }
  | {
      readonly do: 'redeem' | 'visit';
      readonly org: number;
      readonly person: number;
      readonly pick: number;
    }
  | { readonly do: 'sign-in' | 'change-password' | 'guess' | 'erase'; readonly person: number }
  | { readonly do: 'sign-out'; readonly person: number; readonly pick: number }
  | { readonly do: 'replace-key'; readonly org: number; readonly keepsOld: boolean }
  | { readonly do: 'authenticate' | 'call'; readonly org: number; readonly pick: number }
  | { readonly do: 'configure'; readonly org: number; readonly enabled: boolean; readonly url: number }
  | {
      readonly do: 'rotate';
      readonly org: number;
      readonly overlap: boolean;
      readonly idempotencyKey: string | null;
    }
  | { readonly do: 'finish-rotation' | 'redeliver-failed' | 'test'; readonly org: number }
  | { readonly do: 'read'; readonly org: number; readonly reader: string; readonly limit: number }
  | { readonly do: 'read-newest'; readonly org: number }
  | {
      readonly do: 'redeliver';
      readonly org: number;
      readonly pick: number;
      readonly idempotencyKey: string | null;
    };
export type Action = Step & Doing;

export const organizations = [1, 2] as const;
export const people = [0, 1, 2, 3, 4] as const;

/** A part of a plan: what is done, and how many milliseconds after the beginning of the scene. */
type Scene = readonly (readonly [after: number, doing: Doing, instance?: number])[];

/** How much time the steps of a plan take, in milliseconds. Each has three choices. */
export interface Pace {
  readonly latencies: readonly [number, number, number];
  readonly spans: readonly [number, number, number];
}

const simulatedPace: Pace = { latencies: [3, 30, 300], spans: [2_000, 15_000, 40_000] };

export function planOf(seed: number, { latencies, spans }: Pace = simulatedPace): Plan {
  const random = randomNumbers(mix(seed, 1));
  const chance = (percent: number): boolean => random(100) < percent;
  const instances = chance(12) ? 1 : 3;
  const spread = pick(random, [0, 0, 2_000, 300_000]);
  const latency = pick(random, latencies);
  const actions: Action[] = [];
  const span = pick(random, spans);
  const scenes = 1 + random(4);
  for (let scene = 0; scene < scenes; scene += 1) {
    const begin = random(span);
    for (const [after, doing, instance] of pick(random, sceneMakers)(random, latency))
      actions.push({
        id: actions.length + 1,
        at: begin + after + random(latency),
        instance: (instance ?? random(instances)) % instances,
        timeLimit: chance(20) ? 3_000 : 30_000,
        repeats: chance(50),
        ...doing,
      });
  }
  const end = Math.max(...actions.map(({ at }) => at)) + 3_000;
  const isFaultless = chance(30);
  const outages =
    !isFaultless && chance(20) ? [outage(random, end, pick(random, [1_500, 8_000, 90_000]))] : [];
  // Known outcomes are written within 10 s after a long outage. Further faults could make that take longer.
  const isLong = outages.some(({ from, to }) => to - from > 30_000);
  const rate = (): number => (!isFaultless && !isLong && chance(35) ? pick(random, [3, 10, 40]) : 0);
  return {
    seed,
    clocks: Array.from({ length: instances }, () => random(spread + 1)),
    hears: hearsOf(seed, instances),
    latency,
    webhooks: organizations.map(() => pick(random, ['on', 'on', 'on', 'on', 'off', 'none'])),
    receivers: organizations.map(() =>
      pick(random, [
        { fails: 0, stalls: 0, kills: 0 },
        { fails: 0, stalls: 0, kills: 0 },
        { fails: 10, stalls: 0, kills: 0 },
        { fails: 100, stalls: 0, kills: 0 },
        { fails: 30, stalls: 30, kills: 0 },
        { fails: 10, stalls: 0, kills: isFaultless ? 0 : pick(random, [0, 70]) },
      ]),
    ),
    actions: actions.sort((one, other) => one.at - other.at),
    crashes:
      !isFaultless && chance(35)
        ? Array.from({ length: 1 + random(3) }, () => ({
            instance: random(instances),
            at: random(end + 20_000),
            downFor: 200 + random(pick(random, [500, 30_000])),
          }))
        : [],
    freezes: isFaultless ? [] : freezesOf(seed, { instances, end }),
    outages,
    faults: {
      'crash-before': rate() / 4,
      'crash-after': rate() / 4,
      refused: rate(),
      lost: rate(),
      late: rate(),
      slow: rate(),
    },
  };
}

/** From random numbers of their own: a plan without a freeze is as it would be if there were none. */
function freezesOf(
  seed: number,
  { instances, end }: { readonly instances: number; readonly end: number },
): readonly Freeze[] {
  const random = randomNumbers(mix(seed, 2));
  if (random(100) >= 8) return [];
  return Array.from({ length: 1 + random(2) }, () => ({
    instance: random(instances),
    at: random(end),
    lasts: 10_000 + random(120_000),
    afterClaim: random(3) > 0,
  }));
}

function outage(random: Random, end: number, length: number): Outage {
  const from = random(end);
  return { from, to: from + 500 + random(length) };
}

/** What tends to go wrong, each with people who do things at the same time. */
const sceneMakers: readonly ((random: Random, latency: number) => Scene)[] = [
  function joins(random, latency) {
    const [org, person] = somebody(random);
    return [
      [0, { do: 'invite', org, person }],
      ...(random(3) === 0 ? [[0, { do: 'invite', org, person }] as const] : []),
      [6 * latency, { do: 'accept', org, person, pick: 0 }],
      ...(random(2) === 0 ? [[6 * latency, { do: 'accept', org, person, pick: 0 }] as const] : []),
      [14 * latency, { do: 'visit', org, person, pick: 0 }],
    ];
  },
  function joinsTwoOrganizations(random, latency) {
    const person = random(people.length);
    return organizations.flatMap((org) => [
      [0, { do: 'invite', org, person }] as const,
      [6 * latency, { do: 'accept', org, person, pick: 0 }] as const,
      [14 * latency, { do: 'accept', org, person, pick: 0 }] as const,
    ]);
  },
  function joinsByTwoWays(random, latency) {
    const [org, person] = somebody(random);
    return [
      [0, { do: 'invite', org, person }],
      [6 * latency, { do: 'accept', org, person, pick: 0 }],
      [6 * latency, { do: 'register', org, person }],
      [6 * latency, { do: 'register', org, person }],
    ];
  },
  function revokesWhileAccepting(random, latency) {
    const [org, person] = somebody(random);
    return [
      [0, { do: 'invite', org, person }],
      [7 * latency, { do: 'accept', org, person, pick: 0 }],
      [6 * latency, { do: 'revoke', org, person }],
      [14 * latency, { do: 'accept', org, person, pick: 0 }],
      [15 * latency, { do: 'invite', org, person }],
      [20 * latency, { do: 'accept', org, person, pick: 1 }],
      [20 * latency, { do: 'accept', org, person, pick: 0 }],
    ];
  },
  function renewsWhileAccepting(random, latency) {
    const [org, person] = somebody(random);
    return [
      [0, { do: 'invite', org, person }],
      [6 * latency, { do: 'renew', org, person }],
      [7 * latency, { do: 'accept', org, person, pick: 0 }],
      [14 * latency, { do: 'accept', org, person, pick: 1 }],
      [14 * latency, { do: 'accept', org, person, pick: 0 }],
    ];
  },
  function signsInByLink(random, latency) {
    const [org, person] = somebody(random);
    return [
      [0, { do: 'register', org, person }],
      [6 * latency, { do: 'link', org, person }],
      [14 * latency, { do: 'redeem', org, person, pick: 0 }],
      [14 * latency, { do: 'redeem', org, person, pick: 0 }],
      [14 * latency, { do: 'redeem', org, person, pick: 0 }],
      [24 * latency, { do: 'visit', org, person, pick: 0 }],
      [24 * latency + random(2) * 310_000, { do: 'redeem', org, person, pick: random(2) }],
    ];
  },
  function isRemoved(random, latency) {
    const [org, person] = somebody(random);
    return [
      [0, { do: 'invite', org, person }],
      [6 * latency, { do: 'accept', org, person, pick: 0 }],
      [14 * latency, { do: 'link', org, person }],
      [14 * latency, { do: 'link', org, person }],
      [20 * latency, { do: 'redeem', org, person, pick: 0 }],
      [(20 + random(8)) * latency, { do: 'remove', org, person }],
      [32 * latency, { do: 'visit', org, person, pick: 0 }],
      [32 * latency, { do: 'visit', org, person, pick: 1 }],
      [32 * latency, { do: 'redeem', org, person, pick: 1 }],
      [32 * latency, { do: 'link', org, person }],
      ...(random(2) === 0
        ? ([
            [36 * latency, { do: 'invite', org, person }],
            [42 * latency, { do: 'accept', org, person, pick: 0 }],
            [52 * latency, { do: 'visit', org, person, pick: 1 }],
            [52 * latency, { do: 'redeem', org, person, pick: 1 }],
            [52 * latency, { do: 'visit', org, person, pick: 2 }],
          ] as const)
        : []),
    ];
  },
  function replacesKey(random, latency) {
    const [org] = somebody(random);
    return [
      [0, { do: 'replace-key', org, keepsOld: random(2) === 0 }],
      [0, { do: 'authenticate', org, pick: 0 }],
      [latency, { do: 'call', org, pick: 0 }],
      [8 * latency, { do: 'authenticate', org, pick: 1 }],
      [8 * latency, { do: 'authenticate', org, pick: 0 }],
      [8 * latency, { do: 'call', org, pick: 1 }],
      [10 * latency, { do: 'replace-key', org, keepsOld: random(2) === 0 }],
      ...(random(3) === 0
        ? [[10 * latency, { do: 'replace-key', org, keepsOld: random(2) === 0 }] as const]
        : []),
      [20 * latency, { do: 'authenticate', org, pick: 2 }],
      [20 * latency, { do: 'authenticate', org, pick: 1 }],
      [20 * latency, { do: 'call', org, pick: random(4) }],
      [20 * latency, { do: 'call', org, pick: random(4) }],
    ];
  },
  function switchesWebhook(random, latency) {
    const [org, person] = somebody(random);
    return [
      [0, { do: 'configure', org, enabled: random(2) === 0, url: random(3) }],
      [random(6) * latency, { do: 'register', org, person }],
      [8 * latency, { do: 'configure', org, enabled: random(2) === 0, url: random(3) }],
      [(8 + random(6)) * latency, { do: 'register', org, person: random(people.length) }],
    ];
  },
  function rotates(random, latency) {
    const [org, person] = somebody(random);
    const idempotencyKey = random(2) === 0 ? `rotation ${random(1_000_000)}` : null;
    const overlap = random(2) === 0;
    return [
      [random(4) * latency, { do: 'register', org, person }],
      [0, { do: 'rotate', org, overlap, idempotencyKey }],
      ...(idempotencyKey === null
        ? []
        : [[random(10) * latency, { do: 'rotate', org, overlap, idempotencyKey }] as const]),
      [16 * latency, { do: 'register', org, person: random(people.length) }],
      ...(random(3) === 0
        ? [[random(30) * latency, { do: 'configure', org, enabled: true, url: random(3) }] as const]
        : []),
      [28 * latency, random(2) === 0 ? { do: 'finish-rotation', org } : { do: 'test', org }],
      [40 * latency, { do: 'register', org, person: random(people.length) }],
    ];
  },
  function readsFeed(random, latency) {
    const [org] = somebody(random);
    const reader = `reader ${random(1_000_000)}`;
    const pause = latency * (1 + random(30));
    const pages: Scene = Array.from({ length: 3 + random(5) }, (_, index) => [
      index * pause,
      { do: 'read', org, reader, limit: 1 + random(4) },
    ]);
    return random(2) === 0 ? pages : [...pages, [2 * pause, { do: 'read-newest', org }]];
  },
  function burst(random, latency) {
    const [org] = somebody(random);
    return Array.from({ length: 6 }, (_, index) => [
      random(4) * latency,
      { do: 'register', org: random(5) === 0 ? 3 - org : org, person: index % people.length } as const,
    ]);
  },
  function redelivers(random, latency) {
    const [org, person] = somebody(random);
    const idempotencyKey = random(2) === 0 ? `redelivery ${random(1_000_000)}` : null;
    return [
      [0, { do: 'register', org, person }],
      [20 * latency + 500, { do: 'redeliver', org, pick: 0, idempotencyKey }],
      [20 * latency + 500 + random(2_000), { do: 'redeliver', org, pick: 0, idempotencyKey }],
      [random(40) * latency, { do: 'redeliver-failed', org }],
      [8_000, random(2) === 0 ? { do: 'redeliver-failed', org } : { do: 'test', org }],
    ];
  },
  function isErased(random, latency) {
    const [org, person] = somebody(random);
    const when = (): number => (10 + random(16)) * latency;
    return [
      [0, { do: 'invite', org, person }],
      [5 * latency, { do: random(2) === 0 ? 'accept' : 'register', org, person, pick: 0 }],
      [10 * latency, { do: 'link', org, person }],
      [18 * latency, { do: 'erase', person }],
      [when(), { do: 'link', org, person }],
      [when(), { do: 'redeem', org, person, pick: 0 }],
      [when(), { do: 'register', org: 3 - org, person }],
      [when(), { do: pick(random, ['revoke', 'renew', 'remove', 'invite', 'accept']), org, person, pick: 0 }],
      [40 * latency, { do: 'visit', org, person, pick: 0 }],
      [40 * latency, { do: 'redeem', org, person, pick: random(2) }],
      [44 * latency, { do: 'redeliver-failed', org }],
      ...(random(3) === 0 ? [[50 * latency, { do: 'register', org, person }] as const] : []),
    ];
  },
  function changesPassword(random, latency) {
    const [org, person] = somebody(random);
    return [
      [0, { do: 'invite', org, person }],
      [6 * latency, { do: 'accept', org, person, pick: 0 }],
      [16 * latency, { do: 'sign-in', person }],
      [(18 + random(6)) * latency, { do: 'change-password', person }],
      ...(random(3) === 0 ? [[20 * latency, { do: 'change-password', person }] as const] : []),
      [24 * latency, { do: 'sign-in', person }],
      [36 * latency, { do: 'visit', org, person, pick: 2 }],
      [36 * latency, { do: 'visit', org, person, pick: 1 }],
      [40 * latency, { do: 'sign-out', person, pick: random(2) }],
      [48 * latency, { do: 'visit', org, person, pick: random(2) }],
      [48 * latency, { do: 'visit', org, person, pick: random(2) }],
      ...(random(4) === 0
        ? Array.from({ length: 13 }, () => [50 * latency, { do: 'guess', person }] as const)
        : []),
    ];
  },
];

function somebody(random: Random): readonly [org: number, person: number] {
  return [organizations[random(organizations.length)] as number, random(people.length)];
}

/** Of several instances, one hears and one is deaf. */
function hearsOf(seed: number, instances: number): readonly boolean[] {
  const random = randomNumbers(mix(seed, 3));
  const [hears, is] = [random(instances), random(100) < 50];
  return Array.from({ length: instances }, (_, index) => {
    const after = (index - hears + instances) % instances;
    return after === 0 ? instances > 1 : after === 1 && is;
  });
}
