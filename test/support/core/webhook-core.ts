import assert from 'node:assert/strict';
import { createCore, Refusal, type RefusalCode, type SentAttempt, Unavailable } from '@rollcall/core';
import { anOrganization, memoryPorts, recordingSender } from '@rollcall/core/testing';
import { webhookAt } from '../webhook-at.js';
import { organization } from './organization.js';
import { refused } from './refused.js';

export const enabled = webhookAt('https://partner.test/hooks');
export const disabled = { url: 'https://partner.test/hooks', enabled: false };

export const answered500: SentAttempt = {
  duration: 5,
  outcome: 'failed',
  phase: 'answer',
  status: 500,
  reason: 'answered 500',
  request: { url: 'https://partner.test/hooks', headers: { Host: 'partner.test' } },
  response: { headers: {}, body: '', isTruncated: false },
};
export const answered200 = {
  ...answered500,
  outcome: 'delivered',
  status: 200,
  reason: 'answered 200',
} as const;

export const links = { invitation: () => '', login: () => '', defaultAvatar: '' };

interface Options {
  readonly webhook?: unknown;
  readonly send?: () => Promise<SentAttempt>;
  readonly webhookFailureNotice?: number;
  /** Returns true while the database is unavailable, or another error that it throws. */
  readonly beforeFinish?: () => boolean | Error;
}

/** A core in memory with a webhook of organization 1. `send` returns the result of each attempt. */
export async function startWithWebhook({
  webhook = enabled,
  send = async () => answered200,
  webhookFailureNotice,
  beforeFinish = () => false,
}: Options = {}) {
  const recorder = recordingSender();
  let wakes = 0;
  const dispatcher = {
    wake() {
      wakes += 1;
    },
  };
  const { ports: memory, load, clock } = memoryPorts({ dispatcher });
  const { finish } = memory.outbox;
  const { list, count, redeliverMatching, drop } = memory.deliveries;
  const ports = {
    ...memory,
    deliveries: {
      ...memory.deliveries,
      list: async (...[query]: Parameters<typeof list>) => list(storable(query)),
      count: async (...[selection]: Parameters<typeof count>) => count(storable(selection)),
      redeliverMatching: async (...[selection, build]: Parameters<typeof redeliverMatching>) =>
        redeliverMatching(storable(selection), build),
      drop: async (...[selection, build]: Parameters<typeof drop>) => drop(storable(selection), build),
    },
    outbox: {
      ...memory.outbox,
      finish: async (...[result, build]: Parameters<typeof finish>) => {
        const error = beforeFinish();
        if (error === true) throw new Unavailable('The database is unavailable');
        if (error !== false) throw error;
        return finish(result, build);
      },
    },
    webhookSender: {
      refusalOf: (url: string) => (url.includes('localhost') ? 'localhost is not public' : null),
      async send(request: Parameters<typeof recorder.send>[0]) {
        await recorder.send(request);
        return send();
      },
    },
  };
  await load({ organizations: [anOrganization(1), anOrganization(2)] });
  const core = createCore(ports, { links, webhookFailureNotice });
  if (webhook !== null) await core.configureWebhook({ organization, how: 'set', webhook });
  return {
    core,
    ports,
    clock,
    sent: () => recorder.sent,
    /** How often the dispatcher was woken. */
    wakes: () => wakes,
    /** The actions in the audit trail with their subjects, newest first, but not those before the test. */
    async activity(organizationId = 1) {
      const { items } = await core.listActivity({ organization: { id: organizationId } });
      const before = organizationId === 1 && webhook !== null ? 1 : 0;
      return items
        .slice(0, items.length - before)
        .map(({ action, subject, actor, at }) => ({ action, subject, actor, at }));
    },
    register: (number: number) =>
      core.registerUser({
        organizationId: 1,
        email: `person-${number}@example.test`,
        firstName: 'New',
        lastName: 'Person',
      }),
    deliver: async () => Promise.all(await core.deliverWebhooks({ limit: 1 })),
    secretOf: async () => {
      const stored = await ports.webhooks.of(1);
      return ports.secrets.decrypt({ encrypted: stored?.encryptedSecret ?? '', organizationId: 1 }).reveal();
    },
  };
}

/** The selection, if a database can store its times. */
function storable<Selection extends { readonly since?: Date | undefined; readonly until?: Date | undefined }>(
  selection: Selection,
): Selection {
  for (const time of [selection.since, selection.until])
    assert.ok(time === undefined || /^\d{4}-/.test(time.toISOString()));
  return selection;
}

export function refusedAs(code: RefusalCode, message: RegExp) {
  return (error: unknown) => refused(code)(error) && error instanceof Refusal && message.test(error.message);
}
