import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Secret, type StoragePorts } from '@rollcall/core';
import { sessionLifetimeMs } from '@rollcall/core/rules';
import { anOrganization, aUser, countedIds, plainTokens } from '@rollcall/core/testing';
import { createKeyring } from '#adapters/node/crypto/keyring.js';
import { keyedSecrets } from '#adapters/node/crypto/secrets.js';
import type { Database, SqlValue } from '#adapters/sql/index.js';
import {
  adoptSecretKey,
  keyNeeds,
  organizationsNeeding,
  prune,
  recordSecretKeyUse,
  resealSecrets,
} from '#adapters/sql/maintenance/index.js';
import { aSignOn } from '#core/testing/new-sign-on.js';
import { aWebhook } from '#core/testing/subscribe.js';
import { type DatabaseKind, startStorage } from '../../support/storage.js';
import { startTestService } from '../../support/test-service.js';

const [first, second] = ['first'.padEnd(32, '1'), 'second'.padEnd(32, '2')];
const now = new Date('2026-11-20T12:00:00.000Z');
const minutesAgo = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);
const secretsOf = (secretKey: string, ...previousSecretKeys: readonly string[]) =>
  keyedSecrets(createKeyring({ secretKey, previousSecretKeys }));
const old = secretsOf(first);
const both = secretsOf(second, first);

/** Encrypts everything again under the current key. */
function reseal(database: Database) {
  const { keyId: currentKeyId, decrypt, encrypt } = both;
  return resealSecrets(database, { currentKeyId, decrypt, encrypt });
}

const movedAll = (webhookSecrets: number, others: number) => ({
  moved: { webhookSecrets, signOnSecrets: others, codeSecrets: others },
  left: [],
});

/** Gives organization 1 another access key, whose hash is returned, and keeps the one before. */
async function replaceKey({ organizations }: StoragePorts, keepOldUntil: Date): Promise<string> {
  const [hash = ''] = both.accessKeyHashes('4'.repeat(24));
  await organizations.replaceAccessKey({ organizationId: 1, hash, at: now, keepOldUntil });
  return hash;
}

for (const kind of ['sqlite', 'postgres'] as const satisfies readonly DatabaseKind[]) {
  describe(`keyNeeds over ${kind}`, () => {
    const keysTest = (name: string, work: (started: Awaited<ReturnType<typeof fill>>) => Promise<void>) =>
      test(name, { timeout: 240_000 }, async (t) => {
        const started = await fill(kind);
        t.after(() => started.stop());
        await work(started);
      });

    keysTest('counts the usable values under each key, and names the organizations', async ({ database }) => {
      const needs = await keyNeeds(database, { now });
      const none = {
        webhookSecrets: 0,
        signOnSecrets: 0,
        codeSecrets: 0,
        recoveryCodes: 0,
        accessKeys: 0,
        invitations: 0,
        calendarFeeds: 0,
        directoryTokens: 0,
        loginLinks: 0,
        sessions: 0,
      };
      assert.deepEqual(
        new Map(needs.map(({ keyId, stored }) => [keyId, stored])),
        new Map([
          [
            old.keyId,
            {
              ...{ ...none, webhookSecrets: 2, signOnSecrets: 1, accessKeys: 1 },
              ...{ invitations: 1, calendarFeeds: 1, directoryTokens: 1, sessions: 1 },
              ...{ codeSecrets: 1, recoveryCodes: 1 },
            },
          ],
          [both.keyId, { ...none, webhookSecrets: 1, accessKeys: 1, directoryTokens: 1, loginLinks: 2 }],
        ]),
      );
      const found = await organizationsNeeding(database, { keyId: old.keyId, now, limit: 9 });
      assert.deepEqual(
        found.map(({ name, ...rest }) => rest),
        [
          {
            ...{ id: 1, webhookSecret: true, signOnSecret: false, accessKey: true },
            ...{ invitations: true, calendarFeeds: true, directoryToken: true },
          },
          {
            ...{ id: 2, webhookSecret: true, signOnSecret: true, accessKey: false },
            ...{ invitations: false, calendarFeeds: false, directoryToken: false },
          },
        ],
      );
      assert.equal((await organizationsNeeding(database, { keyId: old.keyId, now, limit: 1 })).length, 1);
      assert.deepEqual(await organizationsNeeding(database, { keyId: '00000000', now, limit: 9 }), []);
    });

    keysTest(
      'refuses a key beside which the last one is not known, and records when each was last used, never an earlier time',
      async ({ database }) => {
        const usedAt = async () => {
          const needs = await keyNeeds(database, { now });
          return needs.filter((need) => need.usedAt !== null).map((need) => [need.keyId, need.usedAt]);
        };
        const known = [old.keyId, both.keyId];
        await adoptSecretKey(database, { current: old.keyId, known: [old.keyId], at: minutesAgo(30) });
        const withoutOld = { current: both.keyId, known: [both.keyId], at: minutesAgo(20) };
        assert.equal(await adoptSecretKey(database, withoutOld), false);
        assert.deepEqual(await usedAt(), []);
        assert.equal(await adoptSecretKey(database, { current: both.keyId, known, at: minutesAgo(9) }), true);
        assert.deepEqual(await usedAt(), [[old.keyId, minutesAgo(9)]]);
        await recordSecretKeyUse(database, { keyId: old.keyId, at: minutesAgo(5) });
        await recordSecretKeyUse(database, { keyId: old.keyId, at: minutesAgo(7) });
        assert.deepEqual(await usedAt(), [[old.keyId, minutesAgo(5)]]);
      },
    );

    keysTest(
      'webhook secrets are encrypted again unchanged, except those rotated meanwhile',
      async ({ database, storage, signingSecrets }) => {
        const rotated = new Secret('whsec_rotated');
        let decrypted = 0;
        const { moved, left } = await resealSecrets(database, {
          currentKeyId: both.keyId,
          encrypt: both.encrypt,
          decrypt(given) {
            decrypted += 1;
            return both.decrypt(given);
          },
        });
        assert.deepEqual(
          [moved, left, decrypted],
          [{ webhookSecrets: 2, signOnSecrets: 1, codeSecrets: 1 }, [], 4],
        );
        const signOn = await storage.signOns.of(2);
        assert.ok(signOn);
        assert.ok(signOn.encryptedSecret.startsWith(`v1.${both.keyId}.`));
        const clientSecret = both.decrypt({ encrypted: signOn.encryptedSecret, organizationId: 2 });
        assert.equal(clientSecret.reveal(), 'client secret');
        const { code } = await storage.secondFactors.of(1);
        assert.ok(code);
        assert.ok(code.encryptedSecret.startsWith(`v1.${both.keyId}.`));
        const codeSecret = both.decrypt({ encrypted: code.encryptedSecret, userId: 1 });
        assert.equal(codeSecret.reveal(), 'code secret');
        for (const organizationId of [1, 2, 3]) {
          const webhook = await storage.webhooks.of(organizationId);
          assert.ok(webhook);
          assert.ok(webhook.encryptedSecret.startsWith(`v1.${both.keyId}.`));
          const secret = both.decrypt({ encrypted: webhook.encryptedSecret, organizationId });
          assert.equal(secret.reveal(), signingSecrets.get(organizationId)?.reveal());
        }
        const again = { currentKeyId: old.keyId, encrypt: old.encrypt };
        const { read } = database;
        let isRotated = false;
        const result = await resealSecrets(
          {
            ...database,
            read: {
              ...read,
              // Someone else rotates the secret as soon as it has been read.
              async all<Row>(text: string, values?: readonly SqlValue[]) {
                const rows = await read.all<Row>(text, values);
                if (isRotated) return rows;
                isRotated = true;
                const encryptedSecret = both.encrypt({ secret: rotated, organizationId: 2 });
                await storage.webhooks.configure(2, (known) => ({
                  ...(known ?? assert.fail()),
                  encryptedSecret,
                }));
                return rows;
              },
            },
          },
          {
            ...again,
            decrypt(given) {
              if ('organizationId' in given && given.organizationId === 3) throw new Error('not this one');
              return both.decrypt(given);
            },
          },
        );
        assert.deepEqual(result, {
          moved: { webhookSecrets: 1, signOnSecrets: 1, codeSecrets: 1 },
          left: [{ organizationId: 3, reason: 'not this one' }],
        });
        const kept = await storage.webhooks.of(2);
        const secret = both.decrypt({ encrypted: kept?.encryptedSecret ?? '', organizationId: 2 });
        assert.equal(secret.reveal(), rotated.reveal());
      },
    );

    keysTest('a replaced webhook secret counts until its end, and is encrypted again', async (started) => {
      const { database, storage } = started;
      const replaced = new Secret('whsec_replaced');
      const until = new Date(now.getTime() + 60_000);
      await storage.webhooks.configure(3, (known) => ({
        ...(known ?? assert.fail()),
        previousSecret: { encrypted: old.encrypt({ secret: replaced, organizationId: 3 }), until },
      }));
      const needing = async (at: Date) => {
        const needs = await keyNeeds(database, { now: at });
        const found = await organizationsNeeding(database, { keyId: old.keyId, now: at, limit: 9 });
        const { stored } = needs.find(({ keyId }) => keyId === old.keyId) ?? assert.fail();
        return [
          stored.webhookSecrets,
          found.filter(({ webhookSecret }) => webhookSecret).map(({ id }) => id),
        ];
      };
      assert.deepEqual(await needing(now), [3, [1, 2, 3]]);
      assert.deepEqual(await needing(until), [2, [1, 2]]);

      assert.deepEqual(await reseal(database), movedAll(3, 1));
      assert.deepEqual(await reseal(database), movedAll(0, 0));
      const kept = (await storage.webhooks.of(3))?.previousSecret;
      assert.ok(kept);
      assert.ok(kept.encrypted.startsWith(`v1.${both.keyId}.`));
      assert.equal(
        both.decrypt({ encrypted: kept.encrypted, organizationId: 3 }).reveal(),
        replaced.reveal(),
      );
      assert.deepEqual(kept.until, until);
    });

    keysTest(
      'a kept access key counts until its end, and only beside the key that replaced it',
      async (started) => {
        const { database, storage } = started;
        const until = new Date(now.getTime() + 60_000);
        await replaceKey(storage, until);
        const needing = async (at: Date) => {
          const needs = await keyNeeds(database, { now: at });
          const found = await organizationsNeeding(database, { keyId: old.keyId, now: at, limit: 9 });
          const { stored } = needs.find(({ keyId }) => keyId === old.keyId) ?? assert.fail();
          return [stored.accessKeys, found.filter(({ accessKey }) => accessKey).map(({ id }) => id)];
        };
        assert.deepEqual(await needing(now), [1, [1]]);
        assert.deepEqual(await needing(until), [0, []]);

        // As an import does, which does not know the previous key.
        await database.write((sql) =>
          sql.run('UPDATE organizations SET access_key_generation = access_key_generation + 1 WHERE id = 1'),
        );
        assert.deepEqual(await needing(now), [0, []]);
        assert.equal((await storage.organizations.byId(1))?.previousAccessKey, null);
        assert.equal((await storage.organizations.accessKey(1))?.previous, null);
        const [kept = ''] = old.accessKeyHashes(started.accessKey);
        assert.equal(await storage.organizations.byAccessKeyHash([kept]), null);
      },
    );

    keysTest(
      'pruning removes what was replaced a day after its end, and nothing else',
      async ({ database, storage }) => {
        const until = new Date(now.getTime() + 60_000);
        const hash = await replaceKey(storage, until);
        const previousSecret = { encrypted: 'replaced', until };
        await storage.webhooks.configure(1, (known) => ({ ...(known ?? assert.fail()), previousSecret }));
        const kept = async () => [
          (await storage.webhooks.of(1))?.previousSecret ?? null,
          (await storage.organizations.byId(1))?.previousAccessKey?.until ?? null,
        ];
        const pruneAt = (time: Date, dryRun = false) =>
          prune(database, { now: time, deliveryRetentionDays: 30, eventRetentionDays: 30, dryRun });
        const dayLater = new Date(until.getTime() + 24 * 60 * 60_000);
        await pruneAt(new Date(dayLater.getTime() - 1));
        await pruneAt(dayLater, true);
        assert.deepEqual(await kept(), [previousSecret, until]);
        await pruneAt(dayLater);
        assert.deepEqual(await kept(), [null, null]);
        assert.equal((await storage.organizations.byAccessKeyHash([hash]))?.id, 1);
      },
    );

    keysTest('all of many webhook secrets are encrypted again', async ({ database, storage, load }) => {
      const ids = Array.from({ length: 150 }, (_, index) => 10 + index);
      await load({ organizations: ids.map((id) => anOrganization(id)) });
      const sample = await storage.webhooks.of(1);
      assert.ok(sample);
      for (const organizationId of ids) {
        const encryptedSecret = old.encrypt({ secret: old.newSigningSecret(), organizationId });
        await storage.webhooks.configure(organizationId, () => ({ ...sample, encryptedSecret }));
      }
      assert.deepEqual(await reseal(database), movedAll(152, 1));
      assert.deepEqual(await reseal(database), movedAll(0, 0));
    });

    keysTest(
      'a secret whose key is missing stays unchanged, and the key is named',
      async ({ database, storage }) => {
        const later = secretsOf('third'.padEnd(32, '3'), second);
        const before = await storage.webhooks.of(1);
        const { moved, left } = await resealSecrets(database, {
          currentKeyId: later.keyId,
          encrypt: later.encrypt,
          decrypt: later.decrypt,
        });
        assert.deepEqual(moved, { webhookSecrets: 1, signOnSecrets: 0, codeSecrets: 0 });
        assert.deepEqual(
          left,
          [1, 2, 2, null].map((organizationId) => ({
            ...(organizationId === null ? { userId: 1 } : { organizationId }),
            reason: `The key ${old.keyId} that encrypted a secret is not configured.`,
          })),
        );
        assert.deepEqual(await storage.webhooks.of(1), before);
      },
    );

    keysTest(
      'an access key moves to the current secret key when it is used, and its tokens stay valid',
      async ({ database, storage, core, accessKey }) => {
        const before = await storage.organizations.byId(1);
        await core.authenticate({ accessKey, address: 'a' });
        const accessKeys = async (keyId: string) =>
          (await keyNeeds(database, { now })).find((need) => need.keyId === keyId)?.stored.accessKeys;
        for (let waited = 0; (await accessKeys(old.keyId)) !== 0 && waited < 200; waited += 1)
          await new Promise((resolve) => setTimeout(resolve, 20));
        assert.deepEqual([await accessKeys(old.keyId), await accessKeys(both.keyId)], [0, 2]);
        assert.deepEqual(await storage.organizations.byId(1), before);
        await core.authenticate({ accessKey, address: 'a' });
      },
    );
  });
}

/** Organization 1 has everything under the first key, 2 only its webhook, and 3 has everything under the second key. */
async function fill(kind: 'sqlite' | 'postgres') {
  const started = await startStorage(kind);
  const { database, storage, load } = started;
  assert.ok(database);
  await load({
    organizations: [1, 2, 3].map((id) => anOrganization(id)),
    users: [aUser(1)],
    memberships: [{ organizationId: 1, userId: 1, role: 'member', idpId: null }],
  });
  const signingSecrets = new Map<number, Secret>();
  for (const [organizationId, secrets] of [
    [1, old],
    [2, old],
    [3, both],
  ] as const) {
    const secret = secrets.newSigningSecret();
    signingSecrets.set(organizationId, secret);
    await storage.webhooks.configure(organizationId, () => ({
      ...aWebhook(now),
      encryptedSecret: secrets.encrypt({ secret, organizationId }),
    }));
  }
  await storage.signOns.save(2, () =>
    aSignOn({
      encryptedSecret: old.encrypt({ secret: new Secret('client secret'), organizationId: 2 }),
    }),
  );
  const codeSecret = old.encrypt({ secret: new Secret('code secret'), userId: 1 });
  await storage.secondFactors.setCode({ userId: 1, encryptedSecret: codeSecret });
  await storage.secondFactors.confirmCode({
    ...{ userId: 1, encryptedSecret: codeSecret, step: 1, session: '', at: now },
    recoveryHashes: [old.newRecoveryCode().hash],
  });
  const accessKey = '1'.repeat(24);
  const hashOf = (secrets: typeof old, key: string): string => secrets.accessKeyHashes(key)[0] ?? '';
  await storage.organizations.replaceAccessKey({ organizationId: 1, hash: hashOf(old, accessKey), at: now });
  await storage.organizations.replaceAccessKey({
    organizationId: 3,
    hash: hashOf(both, '2'.repeat(24)),
    at: now,
  });
  const invitation = {
    id: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0002',
    keyId: old.keyId,
    organizationId: 1,
    userUuid: '8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f0003',
    email: 'new@example.test',
    firstName: 'New',
    lastName: 'Person',
    createdAt: now,
    role: 'member',
    expiresAt: null,
    idpId: null,
    invitedBy: null,
  } as const;
  await storage.invitations.findOrCreatePending(invitation);
  for (const [end, number] of [
    ['accepted_at', 4],
    ['revoked_at', 5],
  ] as const) {
    const id = `8f6f1c52-52d2-4f3b-9a8e-0e6a2b7f000${number}`;
    const email = `${end}@example.test`;
    await storage.invitations.findOrCreatePending({
      ...invitation,
      id,
      userUuid: id,
      email,
      organizationId: 3,
    });
    await database.write((sql) => sql.run(`UPDATE invitations SET ${end} = ? WHERE id = ?`, [now, id]));
  }
  await storage.calendarFeeds.create({
    organizationId: 1,
    userId: 1,
    hash: old.newToken('calendar').hash,
    createdAt: now,
  });
  const ended = { hash: old.newToken('directory').hash, organizationId: 2, createdAt: now };
  await storage.directoryTokens.add({ ...ended, keepOldUntil: null });
  await storage.directoryTokens.add({
    ...{ hash: both.newToken('directory').hash, organizationId: 2, createdAt: now, keepOldUntil: now },
  });
  await storage.directoryTokens.add({
    ...{ hash: old.newToken('directory').hash, organizationId: 1, createdAt: now, keepOldUntil: null },
  });
  const session = { userId: 1, boundTo: null, passwordHash: null };
  await storage.sessions.create({ ...session, hash: old.newToken('session').hash, createdAt: minutesAgo(1) });
  await storage.sessions.create({
    ...session,
    hash: old.newToken('session').hash,
    createdAt: minutesAgo(60),
  });
  const { hash: expiredSession } = old.newToken('session');
  await storage.sessions.create({
    ...session,
    hash: expiredSession,
    createdAt: new Date(now.getTime() - sessionLifetimeMs),
  });
  await storage.sessions.touch({ hash: expiredSession, at: minutesAgo(1) });
  const [email, createdAt] = [aUser(1).email, minutesAgo(40)];
  for (const [secrets, minutes] of [
    [both, -1],
    [old, 1],
  ] as const) {
    const { hash } = secrets.newToken('password-reset');
    await storage.passwordResets.store({ hash, email, createdAt, expiresAt: minutesAgo(minutes) });
  }
  const { hash: redeemed } = old.newToken('login-link');
  for (const [hash, minutes] of [
    [old.newToken('login-link').hash, 6],
    [both.newToken('login-link').hash, 1],
    [redeemed, 1],
  ] as const) {
    await storage.loginLinks.store({
      hash,
      organizationId: 1,
      userId: 1,
      createdAt: minutesAgo(minutes),
      expiresAt: minutesAgo(minutes - 5),
    });
  }
  await storage.loginLinks.redeem({ hash: redeemed, at: minutesAgo(1) });
  const ports = { ...storage, tokens: plainTokens(), secrets: both, ids: countedIds() };
  const { core } = await startTestService({ database, ports });
  return { ...started, database, signingSecrets, accessKey, core };
}
