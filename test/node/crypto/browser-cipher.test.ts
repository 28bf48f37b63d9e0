import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixedClock } from '@rollcall/core/testing';
import { browserCipher } from '#adapters/node/crypto/browser-cipher.js';
import { first, rotated, second } from './keys.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const context = 'a page of one session';
const text = 'whsec_\n🔑 123456789012345678901234';

describe('The cipher of texts that browsers keep', () => {
  test('gives a text back on every instance with the key, also after it was replaced', () => {
    const encrypted = browserCipher(first, fixedClock(now)).encrypt({ text, context, expiresIn: 60 });
    for (const keyring of [first, rotated])
      assert.equal(browserCipher(keyring, fixedClock(now)).decrypt({ encrypted, context }), text);
    assert.equal(browserCipher(second, fixedClock(now)).decrypt({ encrypted, context }), null);
  });

  test('makes another text each time, which shows nothing of the text and needs no escapes', () => {
    const cipher = browserCipher(first, fixedClock(now));
    const cookies = Array.from({ length: 50 }, () => cipher.encrypt({ text, context, expiresIn: 60 }));
    assert.equal(new Set(cookies).size, 50);
    for (const cookie of cookies) {
      assert.match(cookie, /^[0-9a-f]{8}\.[\w-]+$/);
      assert.doesNotMatch(Buffer.from(cookie.slice(9), 'base64url').toString('latin1'), /whsec|1234/);
    }
  });

  test('refuses a text from the second in which it expires', () => {
    const clock = fixedClock(now);
    const cipher = browserCipher(first, clock);
    const encrypted = cipher.encrypt({ text, context, expiresIn: 60 });
    clock.advance(59_999);
    assert.equal(cipher.decrypt({ encrypted, context }), text);
    clock.advance(1);
    assert.equal(cipher.decrypt({ encrypted, context }), null);
  });

  test('refuses another context, and every changed, cut or foreign text', () => {
    const cipher = browserCipher(first, fixedClock(now));
    const encrypted = cipher.encrypt({ text, context, expiresIn: 60 });
    assert.equal(cipher.decrypt({ encrypted, context: 'another page' }), null);
    const [id = '', rest = ''] = encrypted.split('.');
    const bytes = Buffer.from(rest, 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      const broken = `${id}.${changed.toString('base64url')}`;
      assert.equal(cipher.decrypt({ encrypted: broken, context }), null, String(index));
    }
    const cut = bytes.subarray(0, -1).toString('base64url');
    for (const broken of [
      '',
      '.',
      id,
      `${id}.`,
      `${id}.AAAA`,
      `${id}.${cut}`,
      `00000000.${rest}`,
      rest,
      '💥',
    ])
      assert.equal(cipher.decrypt({ encrypted: broken, context }), null, broken);
  });
});
