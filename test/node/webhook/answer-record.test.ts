import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnswerRecord } from '#adapters/node/webhook/answer-record.js';

function recorded(rawHeaders: readonly string[]) {
  const record = createAnswerRecord();
  record.begin({ rawHeaders: [...rawHeaders], complete: true });
  return record.response();
}

test('there is no response before an answer has begun', () => {
  assert.equal(createAnswerRecord().response(), null);
});

test('at most 16 KiB of headers are recorded, and fewer count as truncated', () => {
  const long = 'x'.repeat(8 * 1024 - 1);
  const headers = { A: long, B: long };
  assert.deepEqual(recorded(['A', long, 'B', long]), { headers, body: '', isTruncated: false });
  assert.deepEqual(recorded(['A', long, 'B', long, 'C', '']), { headers, body: '', isTruncated: true });
});

test('headers keep any name, and values are read as UTF-8', () => {
  const raw = ['__proto__', '1', 'constructor', '2', 'X-Name', Buffer.from('Zoë \xff').toString('latin1')];
  assert.deepEqual(Object.entries(recorded(raw)?.headers ?? {}), [
    ['__proto__', '1'],
    ['constructor', '2'],
    ['X-Name', 'Zoë ÿ'],
  ]);
  assert.deepEqual(recorded(['X-Name', '\xff'])?.headers, { 'X-Name': '\ufffd' });
});
