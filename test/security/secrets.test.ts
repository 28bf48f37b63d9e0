import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { linesOf } from '../support/app-cli.js';
import { foundInternals, foundTraces, tracesOf } from '../support/security/traces.js';
import { type DayOfUse, useServiceForADay } from './day-of-use.js';

describe('Files and output after a day of use, with LOG_LEVEL=debug', () => {
  let day: DayOfUse;
  before(async () => {
    day = await useServiceForADay();
  });
  after(() => day?.remove());

  test('contain every file and both outputs, after every kind of secret was used', () => {
    const kinds = [
      ...['access key', 'a token', 'signing secret', 'invitation of', 'login link', 'session', 'visitor'],
      ...['password of', 'form of', 'a wrong password', 'SECRET_KEY', 'calendar address', 'reset link'],
    ];
    for (const kind of kinds)
      assert.ok(
        [...day.secrets.keys()].some((name) => name.includes(kind)),
        kind,
      );
    assert.ok(day.secrets.size >= 30, `${day.secrets.size}`);
    for (const place of [
      'rollcall.db while',
      'rollcall.db-wal while',
      'rollcall.db-shm while',
      'rollcall.db after',
    ]) {
      assert.ok(
        [...day.places.keys()].some((name) => name.includes(place)),
        place,
      );
    }
    const lines = linesOf(day.places.get('standard output')?.toString() ?? '');
    assert.ok(lines.length > 60, `${lines.length}`);
    assert.ok(lines.some((line) => JSON.parse(line).level === 20));
    assert.ok(day.receiver.requests.length >= 2);
    // Values that are not secret are found, so the search reads the right files.
    const harmless = new Map([['an address', 'owner@example.test']]);
    assert.ok(foundTraces(harmless, day.places).some((found) => found.includes('data/rollcall.db')));
  });

  test('contain no access key, token, link, cookie, password, signing secret or SECRET_KEY, in any form', () => {
    assert.deepEqual(foundTraces(day.secrets, day.places), []);
  });

  test('contain no random part of a session or a link', () => {
    const signing = [...day.secrets].flatMap(([name, secret]) =>
      secret.startsWith('whsec_') ? [[name, secret.slice('whsec_'.length)] as const] : [],
    );
    const parts = [...day.secrets].flatMap(([name, secret]) =>
      /session|login link|reset link|invitation|form of|calendar/.test(name)
        ? secret
            .split('.')
            .flatMap((part, index) => (index === 0 ? [] : [[`${name}, part ${index}`, part] as const]))
        : [],
    );
    // The id of an invitation is stored, as bytes in its token and as a UUID in the database: it gives no access.
    const accessParts = [...signing, ...parts.filter(([name]) => !/^invitation of \w+, part 1$/.test(name))];
    assert.ok(accessParts.length >= 10);
    assert.deepEqual(foundTraces(new Map(accessParts), day.places), []);
    const bytes = accessParts.map(([name, part]) => [name, Buffer.from(part, 'base64url')] as const);
    for (const [name, random] of bytes) {
      const found = [...day.places].filter(
        ([, place]) => place.includes(random) || place.includes(random.toString('hex')),
      );
      assert.deepEqual([name, found.map(([place]) => place)], [name, []]);
    }
  });

  test('contain only the patterns of URLs, and no URL, body or header of a request', () => {
    for (const line of linesOf(day.places.get('standard output')?.toString() ?? '')) {
      const { msg, route, ...rest } = JSON.parse(line);
      if (msg !== 'request') continue;
      const known = [
        'level',
        'time',
        'requestId',
        'method',
        'status',
        'duration',
        'organizationId',
        'cutOff',
        'instance',
        'revision',
      ];
      assert.deepEqual(
        Object.keys(rest).filter((name) => !known.includes(name)),
        [],
      );
      assert.match(String(route), /^(?:null|\/[\w/:.-]*)$/);
      assert.doesNotMatch(String(route), /\d{4}|eyJ/);
    }
  });

  test('the error answers contained no version, path, SQL or stack, and no secret from the request', () => {
    assert.ok(day.errorAnswers.length >= 20);
    const statuses = new Set(day.errorAnswers.map(({ status }) => status));
    for (const status of [400, 401, 404, 405, 413, 415, 422]) assert.ok(statuses.has(status), String(status));
    for (const { text, rawHeaders } of day.errorAnswers) {
      assert.deepEqual(foundInternals(`${rawHeaders.join('\n')}\n${text}`), []);
    }
    const answers = new Map(day.errorAnswers.map(({ body }, index) => [String(index), body]));
    const sent = new Map([...day.secrets].filter(([name]) => !/form of|visitor/.test(name)));
    assert.deepEqual(foundTraces(sent, answers), []);
  });
});

test('the search finds a secret in every form, at every position', () => {
  const secret = 'A secret/with+all=sorts?';
  for (const [form, trace] of tracesOf(secret)) {
    const places = new Map([['a file', Buffer.concat([Buffer.from('xx'), trace, Buffer.from('yy')])]]);
    assert.ok(foundTraces(new Map([['it', secret]]), places).includes(`it ${form} in a file`), form);
  }
  for (const before of ['', 'a', 'ab', 'abc']) {
    for (const after of ['', 'a', 'ab']) {
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        const text = Buffer.from(`${before}${secret}${after}`).toString(encoding);
        const places = new Map([['a file', Buffer.from(text)]]);
        assert.notDeepEqual(foundTraces(new Map([['it', secret]]), places), [], `${before} ${encoding}`);
      }
    }
  }
});
