import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { context, createContextKey, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { startReceiver } from '../../support/receiver.js';
import { recordSpans } from '../../support/recorded-spans.js';
import {
  AUTHORITY,
  checkNothingIsLeftOpen,
  LOOPBACK,
  lookupOf,
  request,
  sender,
  stopAfter,
} from './sending.js';

checkNothingIsLeftOpen();

const spans = recordSpans();
const canary = 'canary-4f1d';
const eventId = '0f8fad5b-d9cb-469f-a165-70867728950e';
const headers = { 'webhook-id': eventId, 'webhook-signature': canary };
const attributes = { 'http.request.method': 'POST', 'rollcall.event.id': eventId };

function only() {
  const [span, ...others] = spans.all();
  assert.ok(span !== undefined);
  assert.deepEqual(others, []);
  const { traceId: _, spanId: __, ...rest } = span;
  return rest;
}

const expected = {
  tracer: '@rollcall/node',
  name: 'POST webhook',
  kind: 'CLIENT',
  parentId: undefined,
  ends: 1,
};

describe('The span of a delivery', () => {
  beforeEach(() => spans.clear());

  test('tells the status and the phase, and nothing of the receiver', async (t) => {
    const receiver = stopAfter(t, await startReceiver());
    await sender().send(request(`${receiver.url}/${canary}?${canary}`, { headers, body: canary }));
    assert.deepEqual(only(), {
      ...expected,
      attributes: { ...attributes, 'http.response.status_code': 200, 'rollcall.delivery.phase': 'answer' },
      isError: false,
    });
  });

  test('is an error when the receiver refuses', async (t) => {
    const answer = stopAfter(
      t,
      await startReceiver({ answer: (_request, response) => response.writeHead(500).end(canary) }),
    );
    await sender().send(request(answer.url, { headers }));
    assert.deepEqual(only(), {
      ...expected,
      attributes: {
        ...attributes,
        'http.response.status_code': 500,
        'rollcall.delivery.phase': 'answer',
        'error.type': '500',
      },
      isError: true,
    });
  });

  test('is an error with its phase when there is no answer', async () => {
    await sender().send(request(`https://user:${canary}@${canary}.test/`, { headers }));
    assert.deepEqual(only(), {
      ...expected,
      attributes: { ...attributes, 'rollcall.delivery.phase': 'address', 'error.type': 'address' },
      isError: true,
    });
  });

  test('is not passed on to the receiver, also if HTTP is instrumented', async (t) => {
    const receiver = stopAfter(t, await startReceiver());
    const isSuppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
    const seen: unknown[] = [];
    const lookup = async () => {
      seen.push(context.active().getValue(isSuppressed));
      return lookupOf('127.0.0.1')();
    };
    const outer = trace.getTracer('test').startSpan('outer');
    const send = () =>
      sender({ lookup, allowedNetworks: LOOPBACK, certificateAuthorities: [AUTHORITY] }).send(
        request(receiver.url.replace('127.0.0.1', 'localhost'), { headers }),
      );
    await context.with(trace.setSpan(ROOT_CONTEXT, outer), send);
    outer.end();
    assert.deepEqual(seen, [true]);
    assert.deepEqual(
      receiver.requests[0]?.headers.filter(([name]) => /^(traceparent|tracestate|baggage)$/i.test(name)),
      [],
    );
    assert.equal(spans.all()[1]?.parentId, outer.spanContext().spanId);
  });
});
