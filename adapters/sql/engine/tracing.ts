import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Engine } from './database.js';

const tracer = trace.getTracer('@rollcall/sql');

const systems: Readonly<Record<Engine, string>> = { sqlite: 'sqlite', postgres: 'postgresql' };

/** Runs a statement in a span. A statement that belongs to no traced request has none. */
export function traceStatement<T>(engine: Engine, text: string, work: () => Promise<T>): Promise<T> {
  const span = startStatementSpan(engine, text);
  return span === null ? work() : endWith(span, work);
}

async function endWith<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    recordFailure(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Null when the statement belongs to no traced request. Otherwise the caller must end the span. */
export function startStatementSpan(engine: Engine, text: string): Span | null {
  const active = context.active();
  if (trace.getSpan(active)?.isRecording() !== true) return null;
  const { operation, summary } = summaryOf(text);
  const attributes = {
    'db.system.name': systems[engine],
    'db.operation.name': operation,
    'db.query.summary': summary,
  };
  return tracer.startSpan(summary, { kind: SpanKind.CLIENT, attributes }, active);
}

/** Records the type of the error only, because its message may contain values. */
export function recordFailure(span: Span, error: unknown): void {
  span.setAttribute('error.type', errorType(error)).setStatus({ code: SpanStatusCode.ERROR });
}

function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { readonly code?: unknown };
  // The codes of PostgreSQL, SQLite and Node.
  return typeof code === 'string' && /^[A-Z\d_]{1,40}$/.test(code) ? code : error.constructor.name;
}

interface Summary {
  readonly operation: string;
  /** The operation and the first tables. */
  readonly summary: string;
}

const MAX_TABLES = 3;
const MAX_SUMMARIES = 1000;
const summaries = new Map<string, Summary>();

function summaryOf(text: string): Summary {
  const found = summaries.get(text);
  if (found !== undefined) return found;
  const fresh = summarize(text);
  const [oldest] = summaries.keys();
  if (summaries.size >= MAX_SUMMARIES && oldest !== undefined) summaries.delete(oldest);
  summaries.set(text, fresh);
  return fresh;
}

/** Names what a statement does: `SELECT users memberships`. Keywords are written in capitals, and names are not. */
export function summarize(text: string): Summary {
  const [first = 'SQL'] = /[A-Za-z]+/.exec(text) ?? [];
  const [writing] = /\b(?:INSERT(?= INTO)|UPDATE(?=\s+[a-z])|DELETE(?= FROM))/.exec(text) ?? [];
  const operation = first === 'WITH' ? (writing ?? 'SELECT') : first.toUpperCase();
  const parts = new Set(
    [...text.matchAll(/\b([a-z_]+) AS (?:NOT )?(?:MATERIALIZED )?\(/g)].map(([, name]) => name),
  );
  const tables = [
    ...text.matchAll(/(?<!DISTINCT )\b(?:FROM|JOIN|INTO|UPDATE|COPY)\s+([a-z_]+)\b(?!\()/g),
  ].flatMap(([, name = '']) => (parts.has(name) ? [] : name));
  return { operation, summary: [operation, ...[...new Set(tables)].slice(0, MAX_TABLES)].join(' ') };
}
