import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Ports } from '@rollcall/core';
import type { Action, Doing, Plan } from '../simulation/plan.js';
import { brokenCluster } from './broken-cluster.js';
import type { PlanRun } from './plan-run.js';
import { answerWith, type HistoriesReport, runHistories } from './run-histories.js';

function planWith(doings: readonly Doing[]): Plan {
  return {
    seed: 1,
    clocks: [0],
    hears: [false],
    latency: 0,
    webhooks: ['on', 'none'],
    receivers: [
      { fails: 0, stalls: 0, kills: 0 },
      { fails: 0, stalls: 0, kills: 0 },
    ],
    actions: doings.map(
      (doing, index): Action => ({
        id: index + 1,
        at: 0,
        instance: 0,
        timeLimit: 60_000,
        repeats: false,
        ...doing,
      }),
    ),
    crashes: [],
    freezes: [],
    outages: [],
    faults: new Map(),
  };
}

async function failuresOf(
  breakPorts: (ports: Ports) => void,
  doings: readonly Doing[],
  runs = new Map<number, PlanRun>(),
): Promise<HistoriesReport['failures']> {
  const cluster = await brokenCluster({ organizations: 2, answer: answerWith(runs), breakPorts });
  try {
    const { failures } = await runHistories(cluster, runs, {
      seed: 1,
      plans: 1,
      atOnce: 1,
      seconds: 10,
      planOf: () => planWith(doings),
      inTurn: true,
      faults: [],
      between: [0, 1],
      waits: true,
    });
    return failures;
  } finally {
    await cluster.remove();
  }
}

const replacesKey: readonly Doing[] = [
  { do: 'call', org: 1, pick: 0 },
  { do: 'replace-key', org: 1, keepsOld: false },
  { do: 'call', org: 1, pick: 0 },
];
const signsInTwice: readonly Doing[] = [
  { do: 'register', org: 1, person: 0 },
  { do: 'link', org: 1, person: 0 },
  { do: 'redeem', org: 1, person: 0, pick: 0 },
  { do: 'redeem', org: 1, person: 0, pick: 0 },
];
const configures: readonly Doing[] = [
  { do: 'call', org: 1, pick: 0 },
  { do: 'configure', org: 1, enabled: true, url: 0 },
  { do: 'call', org: 1, pick: 0 },
];

const somebody = { org: 1, person: 1 };
const everythingElse: readonly Doing[] = [
  { do: 'invite', ...somebody },
  { do: 'renew', ...somebody },
  { do: 'accept', ...somebody, pick: 1 },
  { do: 'revoke', ...somebody },
  { do: 'accept', ...somebody, pick: 0 },
  { do: 'register', ...somebody },
  { do: 'accept', ...somebody, pick: 0 },
  // They have an account by then, which one password opens.
  { do: 'register', ...somebody, org: 2 },
  { do: 'visit', ...somebody, pick: 0 },
  { do: 'guess', ...somebody },
  { do: 'change-password', ...somebody },
  { do: 'sign-in', ...somebody },
  { do: 'sign-out', ...somebody, pick: 0 },
  { do: 'visit', ...somebody, pick: 0 },
  { do: 'link', ...somebody },
  { do: 'remove', ...somebody },
  { do: 'redeem', ...somebody, pick: 0 },
  { do: 'visit', ...somebody, pick: 1 },
  { do: 'rotate', org: 1, overlap: true, idempotencyKey: 'one' },
  { do: 'rotate', org: 1, overlap: true, idempotencyKey: 'one' },
  { do: 'test', org: 1 },
  { do: 'finish-rotation', org: 1 },
  { do: 'redeliver', org: 1, pick: 0, idempotencyKey: null },
  { do: 'redeliver-failed', org: 1 },
  { do: 'replace-key', org: 1, keepsOld: true },
  { do: 'authenticate', org: 1, pick: 1 },
  { do: 'authenticate', org: 1, pick: 2 },
  { do: 'read', org: 1, reader: 'reader', limit: 1 },
  { do: 'read', org: 1, reader: 'reader', limit: 100 },
  { do: 'read-newest', org: 1 },
];

describe('A real history', { concurrency: true }, () => {
  test('of an instance that keeps its promises is found right', async () => {
    const runs = new Map<number, PlanRun>();
    const failures = await failuresOf(
      () => undefined,
      [...replacesKey, ...signsInTwice, ...configures, ...everythingElse],
      runs,
    );
    assert.deepEqual(failures, []);
    const { ops = [] } = runs.get(1)?.history ?? {};
    assert.deepEqual(
      ops.flatMap(({ did, outcome, code }) => (outcome === 'ok' ? [] : [`${did}: ${code ?? outcome}`])),
      [
        'call: unauthorized-access',
        'readWebhook: unauthorized-access',
        'invite: unauthorized-access',
        'call: unauthorized-access',
        'redeem: login-link-used',
        'join: invitation-revoked',
        'join: invitation-revoked',
        'join: invitation-used',
        'join: sign-in-required',
        'guess: wrong-credentials',
        'visit: sign-in-required',
        'redeem: login-link-unknown',
        'visit: organization-not-found',
        'authenticate: invalid-access-key',
      ],
    );
  });

  test('shows an instance that remembers organizations, with their access keys, for too long', async () => {
    const failures = await failuresOf(({ organizations }) => {
      const { byId } = organizations;
      const known = new Map<number, ReturnType<typeof byId>>();
      organizations.byId = (id) => {
        const found = known.get(id) ?? byId(id);
        known.set(id, found);
        return found;
      };
    }, replacesKey);
    assert.deepEqual(
      failures.map(({ broken }) => broken.split('\n')[0]?.replace(/…\d+/, 'K')),
      [
        'plan 1: a token of access key K of organization 1 worked after it was replaced',
        'plan 1: no order of the requests explains the access keys of organization 1',
      ],
    );
    const [, { broken = '', story = [] } = {}] = failures;
    assert.match(broken, /replaces the access key: done.*\n.*uses a token of key .*: done.*$/);
    assert.equal(story.length, 3, story.join('\n'));
  });

  test('shows an instance that redeems a login link twice', async () => {
    const failures = await failuresOf(({ loginLinks }) => {
      const { find } = loginLinks;
      loginLinks.redeem = async () => true;
      loginLinks.find = async (hash) => {
        const link = await find(hash);
        return link === null ? null : { ...link, redeemedAt: null };
      };
    }, signsInTwice);
    assert.deepEqual(
      failures.map(({ broken }) => broken.replace(/\/login\/\S+/, 'L').split('\n')[0]),
      [
        'plan 1: ann.1@people.test signed in twice with L',
        'plan 1: no order of the requests explains the link L',
      ],
    );
    assert.deepEqual(
      failures[0]?.story.map((line) =>
        line
          .replace(/^\[.*\] /, '')
          .replace(/\/login\/[^ :]+/, 'L')
          .replace(/: done.*/, ''),
      ),
      [
        'Organization 1 asks for a login link for Ann.1',
        'Ann.1 signs in to organization 1 with L',
        'Ann.1 signs in to organization 1 with L',
      ],
    );
  });

  test('shows an instance that loses what is written to a webhook', async () => {
    const failures = await failuresOf(({ webhooks }) => {
      const { configure, of } = webhooks;
      webhooks.configure = async (organizationId, decide, ...rest) => {
        const current = await of(organizationId);
        if (current === null) return configure(organizationId, decide, ...rest);
        return { ...current, ...decide(current) };
      };
    }, configures);
    assert.deepEqual(
      failures.map(({ broken }) => broken.split('\n')[0]),
      ['plan 1: no order of the requests explains the webhook of organization 1'],
    );
  });
});
