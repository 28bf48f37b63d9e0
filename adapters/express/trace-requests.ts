import type { ServerResponse } from 'node:http';
import {
  context,
  isSpanContextValid,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import { localsOf, routeOf } from './locals.js';
import { isProbe } from './probe-paths.js';

const tracer = trace.getTracer('@rollcall/express');

/** Other methods are not attributes, because a client can send any. */
const METHODS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Runs the rest of each request in a span, which ends with the answer or when the client leaves. Without an SDK of
 * OpenTelemetry in the process there are no spans. Paths, queries, headers, addresses and bodies may contain tokens or
 * personal data and are never recorded.
 */
export function traceRequests({ publicUrl }: { readonly publicUrl: string }): RequestHandler {
  const scheme = publicUrl.startsWith('https:') ? 'https' : 'http';
  return (request, response, next) => {
    if (isProbe(request.url)) return next();
    const surrounding = context.active();
    // A host's own instrumentation has already read `traceparent`, and its span stands for the request.
    const isPart = trace.getSpan(surrounding) !== undefined;
    const parent = isPart ? surrounding : propagation.extract(surrounding, request.headers);
    const isKnown = METHODS.has(request.method);
    const name = isKnown ? request.method : 'HTTP';
    const span = tracer.startSpan(
      name,
      {
        kind: isPart ? SpanKind.INTERNAL : SpanKind.SERVER,
        attributes: { 'http.request.method': isKnown ? request.method : '_OTHER', 'url.scheme': scheme },
      },
      parent,
    );
    if (!isSpanContextValid(span.spanContext())) return next();
    if (span.isRecording()) response.once('close', () => end(span, name, response));
    context.with(trace.setSpan(parent, span), () => next());
  };
}

function end(span: Span, name: string, response: ServerResponse): void {
  const { requestId, organization, errorType } = localsOf(response);
  const { statusCode: status, headersSent, writableFinished } = response;
  const route = routeOf(response);
  const failure = errorType ?? (headersSent && status >= 500 ? String(status) : undefined);
  if (route !== null) span.updateName(`${name} ${route}`);
  span.setAttributes({
    'http.route': route ?? undefined,
    'http.response.status_code': headersSent ? status : undefined,
    'error.type': failure,
    'rollcall.request.id': requestId,
    'rollcall.organization.id': organization?.id,
    'rollcall.cut_off': writableFinished ? undefined : true,
  });
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
