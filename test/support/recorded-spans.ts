import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** A span that was started in this process. */
export interface RecordedSpan {
  readonly tracer: string;
  readonly name: string;
  readonly kind: keyof typeof SpanKind;
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for the first span of a trace. */
  readonly parentId: string | undefined;
  readonly attributes: Attributes;
  readonly isError: boolean;
  readonly ends: number;
}

/**
 * Registers a small SDK of OpenTelemetry for the rest of the process: it records spans, reads `traceparent`, and passes
 * the current span on to everything that is called in it.
 */
export function recordSpans() {
  const spans: TestSpan[] = [];
  let recorded = /./;
  const storage = new AsyncLocalStorage<Context>();
  const run = (
    surrounding: Context,
    work: (...values: never[]) => unknown,
    self: unknown,
    values: unknown[],
  ) => storage.run(surrounding, () => Reflect.apply(work, self, values));
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (surrounding, work, self, ...values) =>
      run(surrounding, work, self, values) as ReturnType<typeof work>,
    bind: (surrounding, target) =>
      ((...values: unknown[]) => run(surrounding, target as never, undefined, values)) as typeof target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  propagation.setGlobalPropagator({
    inject() {},
    extract: (surrounding, carrier, { get }) => {
      const parent = parse(String(get(carrier, 'traceparent')));
      return parent === null ? surrounding : trace.setSpanContext(surrounding, parent);
    },
    fields: () => ['traceparent'],
  });
  const startSpan = (
    tracer: string,
    name: string,
    options: SpanOptions = {},
    surrounding = context.active(),
  ) => {
    const parent = trace.getSpanContext(surrounding);
    const span = new TestSpan(tracer, { name, options, parent });
    if (!recorded.test(tracer))
      return trace.wrapSpanContext({ ...span.spanContext(), traceFlags: TraceFlags.NONE });
    spans.push(span);
    return span;
  };
  trace.setGlobalTracerProvider({
    getTracer: (tracer) =>
      ({ startSpan: (...given) => startSpan(tracer, ...given) }) satisfies Pick<
        Tracer,
        'startSpan'
      > as Tracer,
  });
  return {
    /** The spans that were started since `clear`, in the order of their starts. */
    all: (): readonly RecordedSpan[] => spans.map((span) => span.recorded()),
    clear(): void {
      spans.splice(0);
    },
    /** Records the spans of these tracers. Those of the others only pass their trace on. */
    recordOnly(tracers: RegExp): void {
      recorded = tracers;
    },
  };
}

function parse(traceparent: string): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] =
    /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(traceparent) ?? [];
  const parsed = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parsed) ? parsed : null;
}

let started = 0;

class TestSpan implements Span {
  readonly #context: SpanContext;
  readonly #span: { -readonly [Name in keyof RecordedSpan]: RecordedSpan[Name] };

  constructor(
    tracer: string,
    {
      name,
      options,
      parent,
    }: { readonly name: string; readonly options: SpanOptions; readonly parent: SpanContext | undefined },
  ) {
    started += 1;
    const traceId = parent?.traceId ?? started.toString(16).padStart(32, '0');
    const spanId = started.toString(16).padStart(16, '0');
    this.#context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
    const kind = SpanKind[options.kind ?? SpanKind.INTERNAL] as keyof typeof SpanKind;
    this.#span = {
      ...{ tracer, name, kind, traceId, spanId, parentId: parent?.spanId },
      ...{ attributes: { ...options.attributes }, isError: false, ends: 0 },
    };
  }

  recorded(): RecordedSpan {
    const attributes = Object.entries(this.#span.attributes).filter(([, value]) => value !== undefined);
    return { ...this.#span, attributes: Object.fromEntries(attributes) };
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  setAttribute(name: string, value: Attributes[string] & {}): this {
    return this.setAttributes({ [name]: value });
  }

  setAttributes(attributes: Attributes): this {
    if (this.#span.ends > 0) throw new Error(`${this.#span.name} has ended`);
    Object.assign(this.#span.attributes, attributes);
    return this;
  }

  setStatus({ code, message }: { readonly code: SpanStatusCode; readonly message?: string }): this {
    this.#span.isError = code === SpanStatusCode.ERROR;
    return message === undefined ? this : this.setAttribute('status message', message);
  }

  updateName(name: string): this {
    this.#span.name = name;
    return this;
  }

  isRecording(): boolean {
    return this.#span.ends === 0;
  }

  end(): void {
    this.#span.ends += 1;
  }

  addEvent(name: string, attributes: unknown = {}): this {
    return this.setAttribute(`event ${name}`, JSON.stringify(attributes));
  }

  recordException(exception: unknown): void {
    this.addEvent('exception', String(exception));
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }
}
