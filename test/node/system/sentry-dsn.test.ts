import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkSentryDsn } from '#adapters/node/system/sentry-dsn.js';
import type { SentryOptions } from '#adapters/node/system/sentry-error-tracker.js';
import { context, startSentryForEachTest, tracker } from './sentry-server.js';

startSentryForEachTest();

describe('The DSN', () => {
  test('every documented form leads to its project, and the secret of an old form is not sent', async () => {
    const forms = [
      ['https://public@sentry.example.com/1', 'https://sentry.example.com/api/1/envelope/'],
      ['https://public@sentry.example.com:9000/1', 'https://sentry.example.com:9000/api/1/envelope/'],
      ['http://public@10.0.0.7/a/b/1', 'http://10.0.0.7/a/b/api/1/envelope/'],
      ['https://public@[::1]:9000/1', 'https://[::1]:9000/api/1/envelope/'],
      ['https://public:hidden@sentry.example.com/1', 'https://sentry.example.com/api/1/envelope/'],
    ] as const;
    for (const [dsn, expected] of forms) {
      const posts: string[] = [];
      const fetch: SentryOptions['fetch'] = async (url, init) => {
        posts.push(`${url} ${init?.body}`);
        return new Response();
      };
      const one = tracker({ dsn, fetch });
      one.report(new Error('x'), context);
      await one.flush(30_000);
      const [post = ''] = posts;
      assert.ok(post.startsWith(`${expected}?`) && post.includes('sentry_key=public'), `${dsn}: ${post}`);
      assert.ok(!post.includes('hidden'));
    }
  });

  test('an invalid DSN is refused at once, with the problem but without the DSN', () => {
    const key = 'the key before the @ is missing or has other characters than letters and digits';
    const project = 'the number of the project at its end is missing';
    const reasons = {
      '': 'it is not an http(s) URL',
      'sentry.example.com/1': 'it is not an http(s) URL',
      'ftp://public@sentry.example.com/1': 'it is not an http(s) URL',
      'https://sentry.example.com/1': key,
      'https://pub%0Alic@sentry.example.com/1': key,
      'https://pub-lic@sentry.example.com/1': key,
      'https://public:a-b@sentry.example.com/1':
        'the secret before the @ has other characters than letters and digits',
      'https://public@sentry.example.com': project,
      'https://public@sentry.example.com/1/': project,
      'https://public@sentry.example.com/one': project,
      'https://public@sentry.example.com/1?x=1': 'it must end after the project',
      'https://public@sentry.example.com/1#x': 'it must end after the project',
    };
    for (const [dsn, reason] of Object.entries(reasons)) {
      assert.throws(
        () => checkSentryDsn(dsn),
        new Error(
          `A Sentry DSN has the form https://<key>@<host>[:port][/path]/<project>, but in this one ${reason}.`,
        ),
        dsn,
      );
      assert.throws(() => tracker({ dsn }), /^Error: A Sentry DSN/, dsn);
    }
  });
});
