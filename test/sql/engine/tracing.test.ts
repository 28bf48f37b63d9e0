import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { trace } from '@opentelemetry/api';
import { Unavailable } from '@rollcall/core';
import { recordFailure, summarize } from '#adapters/sql/engine/tracing.js';
import { recordSpans } from '../../support/recorded-spans.js';

const spans = recordSpans();

describe('The summary of a statement', () => {
  for (const [text, summary] of [
    ['BEGIN IMMEDIATE', 'BEGIN'],
    ["SET TimeZone = 'UTC'", 'SET'],
    ['SELECT pg_advisory_xact_lock(1, 0)', 'SELECT'],
    ['SELECT 1 FROM users WHERE id = ? FOR UPDATE', 'SELECT users'],
    ['SELECT 1 FROM users JOIN memberships ON true FOR UPDATE OF users', 'SELECT users memberships'],
    ['SELECT 1 FROM a JOIN b ON true LEFT JOIN c ON true JOIN d ON true', 'SELECT a b c'],
    ['SELECT 1 FROM users WHERE email IS DISTINCT FROM excluded', 'SELECT users'],
    ['SELECT value FROM json_each(?)', 'SELECT'],
    ['INSERT INTO users (id) VALUES (?) ON CONFLICT (id) DO UPDATE SET id = ?', 'INSERT users'],
    ['INSERT INTO given SELECT id FROM users', 'INSERT given users'],
    ['DELETE FROM sessions WHERE hash = ?', 'DELETE sessions'],
    ['WITH one AS (SELECT id FROM users) SELECT id FROM one', 'SELECT users'],
    [
      'WITH chosen AS MATERIALIZED (SELECT id FROM deliveries FOR UPDATE SKIP LOCKED)\nUPDATE deliveries SET state = ? FROM chosen',
      'UPDATE deliveries',
    ],
    ['COPY meetings FROM STDIN', 'COPY meetings'],
    ['', 'SQL'],
  ] as const)
    test(`${text.slice(0, 60)} is ${summary}`, () => {
      const [operation] = summary.split(' ');
      assert.deepEqual(summarize(text), { operation, summary });
    });
});

describe('A failed statement', () => {
  for (const [name, error, expected] of [
    ['the code of a database', Object.assign(new Error('canary'), { code: '23505' }), '23505'],
    ['the class of an error without a code', new Unavailable('canary'), 'Unavailable'],
    ['no code that is a text', Object.assign(new TypeError('canary'), { code: 'a canary' }), 'TypeError'],
    ['the type of anything else', 'canary', 'string'],
  ] as const)
    test(`is recorded with ${name}`, () => {
      spans.clear();
      const span = trace.getTracer('test').startSpan('failing');
      recordFailure(span, error);
      const [{ attributes, isError } = { attributes: null, isError: null }] = spans.all();
      assert.deepEqual([attributes, isError], [{ 'error.type': expected }, true]);
    });
});
