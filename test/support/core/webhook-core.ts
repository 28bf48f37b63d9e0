import assert from 'node:assert/strict';
import { createCore, Refusal, type SentAttempt, Unavailable } from '@rollcall/core';
import { anOrganization, memoryPorts, recordingSender } from '@rollcall/core/testing';
import { organization } from './organization.js';

export const enabled = { url: 'https://partner.test/hooks', enabled: true, events: ['user.registered'] };
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

interface Options {
  readonly webhook?: unknown;
  readonly send?: () => Promise<SentAttempt>;
  readonly webhookFailureNotice?: number;
  /** Returns true while the database is unavailable. */
  readonly beforeFinish?: () => boolean;
}

/** A core in memory with a webhook of organization 1. `send` returns the result of each attempt. */
export async function startWithWebhook({
  webhook = enabled,
  send = async () => answered200,
  webhookFailureNotice = 20,
  beforeFinish = () => false,
}: Options = {}) {
  const recorder = recordingSender();
  const { ports: memory, load } = memoryPorts();
  const { finish } = memory.outbox;
  const ports = {
    ...memory,
    outbox: {
      ...memory.outbox,
      finish: async (result: Parameters<typeof finish>[0]) => {
        if (beforeFinish()) throw new Unavailable('The database is unavailable');
        return finish(result);
      },
    },
    webhookSender: {
      refusalOf: () => null,
      async send(request: Parameters<typeof recorder.send>[0]) {
        await recorder.send(request);
        return send();
      },
    },
  };
  await load({ organizations: [anOrganization(1), anOrganization(2)] });
  const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
  const core = createCore(ports, { links, webhookFailureNotice });
  if (webhook !== null) await core.configureWebhook({ organization, how: 'set', webhook });
  const unexpected = async () => assert.fail('the database was queried');
  const deliveries = { ...ports.deliveries, find: unexpected, list: unexpected, redeliver: unexpected };
  return {
    core,
    /** The same core, but a query for a delivery fails the test. */
    withoutQueries: createCore({ ...ports, deliveries }, { links }),
    ports,
    sent: () => recorder.sent,
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

export function refusedAs(code: string, message: RegExp) {
  return (error: unknown) => error instanceof Refusal && error.code === code && message.test(error.message);
}
