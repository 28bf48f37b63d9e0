import assert from 'node:assert/strict';
import { anOrganization, aUser, testUuid } from '@rollcall/core/testing';
import { prune } from '#adapters/sql/maintenance/index.js';
import { eachEngine } from '../../support/each-engine.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60 * 1000;

const month = { now, deliveryRetentionDays: 30, eventRetentionDays: 30 };
const organizations = [anOrganization(1), anOrganization(2)];
const memberships = [1, 2].map(
  (organizationId) => ({ organizationId, userId: 1, role: 'owner', idpId: null }) as const,
);

eachEngine(
  'answers are deleted after a day, more than one batch of them',
  { organizations },
  async ({ database, storage }) => {
    const { begin } = storage.idempotencyKeys;
    const ages = [...Array.from({ length: 600 }, (_, index) => DAY_MS + 1 + index), DAY_MS, 1];
    for (const [index, age] of ages.entries()) {
      const at = new Date(now.getTime() - age);
      const times = {
        at,
        cutOffBefore: at,
        forgottenBefore: at,
        maxCalls: 100_000,
        maxAnswerLength: 1_000_000_000,
      };
      const call = { organizationId: 1, operation: 'trial', key: String(age), fingerprint: '' };
      await begin({ ...call, ...times, run: testUuid(index) });
    }
    const keys = async (): Promise<readonly string[]> => {
      const text = 'SELECT key FROM idempotency_keys ORDER BY begun_at';
      return (await database.read.all<{ key: string }>(text)).map(({ key }) => key);
    };
    await prune(database, { ...month, dryRun: true });
    assert.equal((await keys()).length, 602);
    await prune(database, month);
    assert.deepEqual(await keys(), [String(DAY_MS), '1']);
  },
);

eachEngine(
  'set-up links are deleted once they have expired',
  { organizations, users: [aUser(1)], memberships },
  async ({ database, storage }) => {
    for (const organizationId of [1, 2]) {
      const expiresAt = new Date(now.getTime() + organizationId - 1);
      const link = { hash: `${organizationId}`, organizationId, userId: 1, createdAt: now, expiresAt };
      await storage.setupLinks.store(link);
    }
    const left = async () =>
      (await Promise.all([1, 2].map((id) => storage.setupLinks.of(id)))).map((link) => link?.hash);
    await prune(database, { ...month, dryRun: true });
    assert.deepEqual(await left(), ['1', '2']);
    await prune(database, month);
    assert.deepEqual(await left(), [undefined, '2']);
  },
);
