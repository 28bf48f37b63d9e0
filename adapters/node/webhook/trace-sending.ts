import { context, createContextKey, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { SentAttempt, WebhookRequest } from '@rollcall/core';

const tracer = trace.getTracer('@rollcall/node');

/** While this is set, an SDK's instrumentation of HTTP makes no spans and adds no `traceparent` to requests. */
const IS_SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/**
 * Sends a webhook in a span. The headers of a delivery are part of the interface, so that the trace is not passed on to
 * the receiver. The URL is not recorded, because it may contain a secret of the receiver.
 */
export async function traceSending(
  { headers }: WebhookRequest,
  send: () => Promise<SentAttempt>,
): Promise<SentAttempt> {
  const span = tracer.startSpan('POST webhook', {
    kind: SpanKind.CLIENT,
    attributes: { 'http.request.method': 'POST', 'rollcall.event.id': headers['webhook-id'] },
  });
  const inSpan = trace.setSpan(context.active(), span).setValue(IS_SUPPRESSED, true);
  try {
    const sent = await context.with(inSpan, send);
    recordOutcome(span, sent);
    return sent;
  } catch (error) {
    recordFailure(span, error instanceof Error ? error.constructor.name : typeof error);
    throw error;
  } finally {
    span.end();
  }
}

function recordOutcome(span: Span, { outcome, phase, status }: SentAttempt): void {
  span.setAttributes({
    'http.response.status_code': status ?? undefined,
    'rollcall.delivery.phase': phase ?? undefined,
  });
  if (outcome === 'failed') recordFailure(span, String(status ?? phase ?? 'interrupted'));
}

function recordFailure(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}
