import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type AnswerOnce, Unavailable } from '@rollcall/core';
import { anOrganization } from '@rollcall/core/testing';
import { organization } from '../../support/core/organization.js';
import { refused } from '../../support/core/refused.js';
import { serviceTest } from '../../support/core/service-test.js';
import { startTestService, type TestService } from '../../support/test-service.js';

const organizations = { organizations: [anOrganization(1), anOrganization(2)] };
const answerTest = serviceTest(organizations);

describe('answerOnce', () => {
  answerTest('does the work of 50 equal calls once, and repeats its answer', async (service) => {
    const { count, request } = trial();
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => service.core.answerOnce(request)),
    );
    assert.equal(count(), 1);
    const codes = results.map((result) =>
      result.status === 'fulfilled' ? result.value : (result.reason as { readonly code: string }).code,
    );
    assert.deepEqual(
      [...new Set(codes)].sort(),
      ['answer 1', 'idempotency-key-in-use'].slice(0, new Set(codes).size),
    );
    assert.equal(await service.core.answerOnce(request), 'answer 1');
    assert.equal(count(), 1);
  });

  answerTest('repeats the answer for 24 hours', async (service) => {
    const { count, request } = trial();
    await service.core.answerOnce(request);
    service.clock.advance(24 * HOUR_MS);
    assert.equal(await service.core.answerOnce(request), 'answer 1');
    service.clock.advance(1);
    assert.equal(await service.core.answerOnce(request), 'answer 2');
    assert.equal(count(), 2);
  });

  answerTest('begins nothing new while too much is kept, and repeats what is kept', async (service) => {
    const { core, clock } = service;
    const request = (key: string): AnswerOnce => ({
      ...{ organization, operation: 'trial', key, fingerprint: 'one' },
      work: async () => key.repeat(1_500_000),
    });
    const keys = [...'abcdefghijklmnopq'];
    let kept = 0;
    const begin = async (): Promise<unknown> => {
      for (const key of keys.slice(kept)) {
        await core.answerOnce(request(key));
        kept += 1;
        clock.advance(HOUR_MS);
      }
      return null;
    };
    await assert.rejects(begin(), (error) => {
      const { code, retryAfter } = error as { readonly code: string; readonly retryAfter: number };
      assert.deepEqual([code, retryAfter], ['too-many-requests', (24 - kept) * 3_600]);
      return true;
    });
    assert.ok(kept >= 5 && kept <= 12, String(kept));
    assert.equal(await core.answerOnce(request('a')), 'a'.repeat(1_500_000));
    clock.advance((25 - kept) * HOUR_MS);
    assert.equal((await core.answerOnce(request('new'))).length, 4_500_000);
  });

  answerTest('refuses another request with the same key', async (service) => {
    const { count, request } = trial();
    await service.core.answerOnce(request);
    await assert.rejects(
      service.core.answerOnce({ ...request, fingerprint: 'two' }),
      refused('idempotency-key-reused'),
    );
    assert.equal(count(), 1);
    const others = [{ key: 'other' }, { operation: 'other' }, { organization: { id: 2 } }];
    for (const other of others) await service.core.answerOnce({ ...request, ...other });
    assert.equal(count(), 4);
  });

  answerTest(
    'tells a caller to wait while the work is being done, and for a minute after a crash',
    async (service) => {
      const { count, request } = trial();
      let crash = (): void => undefined;
      let begin = (): void => undefined;
      const hasBegun = new Promise<void>((resolve) => (begin = resolve));
      const work = (): Promise<never> =>
        new Promise((_, reject) => {
          crash = () => reject(new Unavailable('crashed'));
          begin();
        });
      const crashed = service.core.answerOnce({ ...request, work });
      await hasBegun;
      service.clock.advance(60_000);
      await assert.rejects(service.core.answerOnce(request), {
        code: 'idempotency-key-in-use',
        retryAfter: 1,
      });
      service.clock.advance(1);
      assert.equal(await service.core.answerOnce(request), 'answer 1');
      crash();
      await assert.rejects(crashed, { message: 'crashed' });
      assert.equal(await service.core.answerOnce(request), 'answer 1');
      assert.equal(count(), 1);
    },
  );

  answerTest('keeps nothing if the work throws', async (service) => {
    const { request } = trial();
    const failure = new Error('the work failed');
    const failing = { ...request, fingerprint: 'two', work: () => Promise.reject(failure) };
    await assert.rejects(service.core.answerOnce(failing), (error) => error === failure);
    assert.equal(await service.core.answerOnce(request), 'answer 1');
  });

  answerTest(
    'returns the answer if it cannot be kept, and the error of the work if the key cannot be freed',
    async (service) => {
      const { request } = trial();
      const away = (): Promise<never> => Promise.reject(new Unavailable('away'));
      const { idempotencyKeys: keys } = service.ports;
      const failing = await startTestService({
        ports: {
          organizations: service.ports.organizations,
          idempotencyKeys: { ...keys, finish: away, abandon: away },
        },
      });
      assert.equal(await failing.core.answerOnce(request), 'answer 1');
      const failure = new Error('the work failed');
      const work = (): Promise<never> => Promise.reject(failure);
      await assert.rejects(
        failing.core.answerOnce({ ...request, key: 'b', work }),
        (error) => error === failure,
      );
      await failing.stop();
    },
  );

  answerTest(
    'repeats an answer that the work kept in its transaction, even if it then failed',
    async (service) => {
      const { rotations, request } = rotation(service);
      let kept = '';
      const work: AnswerOnce['work'] = async (keep) => {
        kept = await request.work(keep);
        throw new Unavailable('the connection was lost after the commit');
      };
      await assert.rejects(service.core.answerOnce({ ...request, work }), Unavailable);
      assert.match(kept, /^whsec_/);
      assert.equal(await service.core.answerOnce(request), kept);
      assert.equal(await rotations(), 1);
    },
  );

  answerTest('repeats an answer that the work kept before a crash', async (service) => {
    const { rotations, request } = rotation(service);
    const kept = await new Promise<string>((committed) => {
      const work: AnswerOnce['work'] = async (keep) => {
        committed(await request.work(keep));
        return new Promise(() => undefined);
      };
      void service.core.answerOnce({ ...request, work });
    });
    for (const seconds of [0, 61]) {
      service.clock.advance(seconds * 1000);
      assert.equal(await service.core.answerOnce(request), kept);
    }
    assert.equal(await rotations(), 1);
  });

  answerTest('does nothing in a run that was taken over', async (service) => {
    const { rotations, request } = rotation(service);
    let takeOver = (): void => undefined;
    const isTakenOver = new Promise<void>((resolve) => (takeOver = resolve));
    let begin = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begin = resolve));
    const work: AnswerOnce['work'] = async (keep) => {
      begin();
      await isTakenOver;
      return request.work(keep);
    };
    const slow = service.core.answerOnce({ ...request, work });
    await hasBegun;
    service.clock.advance(61_000);
    const answer = await service.core.answerOnce(request);
    takeOver();
    await assert.rejects(slow, refused('idempotency-key-in-use'));
    assert.equal(await service.core.answerOnce(request), answer);
    assert.equal(await rotations(), 1);
  });

  answerTest(
    'a run that was taken over gives no answer of its own, although its work succeeded',
    async (service) => {
      for (const [key, endsFirst] of [
        ['slow', 'slow'],
        ['taker', 'taker'],
      ] as const) {
        const request = { ...trial().request, key };
        const [slow, taker] = [pause(), pause()];
        const late = service.core.answerOnce({ ...request, work: slow.work });
        await slow.hasBegun;
        service.clock.advance(61_000);
        const taking = service.core.answerOnce({ ...request, work: taker.work });
        await taker.hasBegun;
        if (endsFirst === 'taker') {
          taker.end('answer');
          await taking;
        }
        slow.end('another answer');
        await assert.rejects(late, refused('idempotency-key-in-use'));
        taker.end('answer');
        assert.equal(await taking, 'answer');
        assert.equal(await service.core.answerOnce(request), 'answer');
      }
    },
  );

  answerTest('a run that was taken over and then fails does not free the key', async (service) => {
    const { request } = trial();
    const slow = pause();
    const taker = pause();
    const failing = service.core.answerOnce({ ...request, work: slow.work });
    await slow.hasBegun;
    service.clock.advance(61_000);
    const taking = service.core.answerOnce({ ...request, work: taker.work });
    await taker.hasBegun;
    slow.end(new Error('the work failed'));
    await assert.rejects(failing, { message: 'the work failed' });
    await assert.rejects(service.core.answerOnce(request), refused('idempotency-key-in-use'));
    taker.end('answer');
    assert.equal(await taking, 'answer');
  });

  answerTest('reports bugs of the storage', async (service) => {
    const { request } = trial();
    const bug = (): Promise<never> => Promise.reject(new Error('a bug'));
    const { idempotencyKeys: keys, organizations } = service.ports;
    const failing = await startTestService({
      ports: { organizations, idempotencyKeys: { ...keys, finish: bug, abandon: bug } },
    });
    await assert.rejects(failing.core.answerOnce(request), { message: 'a bug' });
    const work = (): Promise<never> => Promise.reject(new Error('the work failed'));
    await assert.rejects(failing.core.answerOnce({ ...request, key: 'b', work }), { message: 'a bug' });
    await failing.stop();
  });

  answerTest('refuses a key that is not 1 to 255 printable ASCII characters', async (service) => {
    const { count, request } = trial();
    for (const key of ['', 'k'.repeat(256), 'ü', 'a\tb', 'a\nb', '\u007f', 1, null])
      await assert.rejects(
        service.core.answerOnce({ ...request, key: key as string }),
        refused('invalid-request'),
      );
    for (const key of [' ', '~', 'k'.repeat(255), "'; DROP TABLE"])
      await service.core.answerOnce({ ...request, key });
    assert.equal(count(), 4);
  });

  answerTest('stores the answer encrypted', async ({ core, ports: { idempotencyKeys } }) => {
    const { request } = trial();
    const stored: string[] = [];
    const { finish } = idempotencyKeys;
    Object.assign(idempotencyKeys, {
      finish(...[answer]: Parameters<typeof finish>) {
        stored.push(answer.encryptedAnswer);
        return finish(answer);
      },
    });
    await core.answerOnce({ ...request, work: async () => 'whsec_secret' });
    assert.equal(stored.length, 1);
    assert.ok(!JSON.stringify(stored).includes('whsec_secret'));
    assert.equal(await core.answerOnce(request), 'whsec_secret');
  });
});

/** A request that rotates the signing secret, and answers with the new one. */
function rotation({ core }: TestService) {
  const webhook = { enabled: false };
  return {
    async rotations(): Promise<number> {
      const { items } = await core.listActivity({ organization });
      return items.filter(({ action }) => action === 'webhook-configured').length;
    },
    request: {
      organization,
      operation: 'rotation',
      key: 'key',
      fingerprint: 'one',
      async work(keep) {
        const { secret } = await core.configureWebhook({
          organization,
          how: 'change',
          webhook,
          regenerateSecret: true,
          keep: (stored) => keep(stored.secret?.reveal() ?? 'none'),
        });
        return secret?.reveal() ?? 'none';
      },
    } satisfies AnswerOnce,
  };
}

/** Work that begins, and ends when the test says so. */
function pause() {
  let begin = (): void => undefined;
  let end = (_result: string | Error): void => undefined;
  const hasBegun = new Promise<void>((resolve) => (begin = resolve));
  const work = (): Promise<string> =>
    new Promise((resolve, reject) => {
      end = (result) => (typeof result === 'string' ? resolve(result) : reject(result));
      begin();
    });
  return { hasBegun, work, end: (result: string | Error) => end(result) };
}

const HOUR_MS = 60 * 60 * 1000;

/** A request whose work counts how often it is done. */
function trial(): { readonly request: AnswerOnce; count(): number } {
  let count = 0;
  const work = async (): Promise<string> => {
    count += 1;
    const answer = `answer ${count}`;
    await new Promise(setImmediate);
    return answer;
  };
  return {
    count: () => count,
    request: { organization, operation: 'trial', key: 'key', fingerprint: 'one', work },
  };
}
