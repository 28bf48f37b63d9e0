#!/usr/bin/env bash
# A counter made at the top of a module counts nothing for the life of the program; a tracer got at the same place works.
#
# Library    @opentelemetry/api 1.9.1 with @opentelemetry/sdk-metrics 2.12.1 and @opentelemetry/sdk-trace-base 2.12.1
# Behaviour  Modules get their tracer and their meter when they are loaded, and imports are loaded before the line that sets up the
#            SDK. A tracer got by then waits for the SDK and uses it. A meter does not: what it makes is a counter that does nothing,
#            for ever. It takes values without an error, the trace of the same request is there, and other metrics, made later, are,
#            too. So a rate of failures lacks, or an alert on it never fires, and moving an import changes which ones. Making
#            instruments in a function that is called later helps, or loading the SDK first (`--import`).
# Source     github.com/open-telemetry/opentelemetry-js issues 3622 and 4065, opentelemetry.io/docs/languages/js/instrumentation, and
#            the output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @opentelemetry/api@1.9.1 @opentelemetry/sdk-metrics@2.12.1 @opentelemetry/sdk-trace-base@2.12.1
cat >members.mjs <<'JS'
import { metrics, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('members');
const failures = metrics.getMeter('members').createCounter('failures');
let retries;

export function fail() {
  retries ??= metrics.getMeter('members').createCounter('retries');
  tracer.startActiveSpan('fail', (span) => {
    failures.add(1);
    retries.add(1);
    span.end();
  });
}
JS
cat >try.mjs <<'JS'
import { metrics, trace } from '@opentelemetry/api';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { fail } from './members.mjs';

const spans = new InMemorySpanExporter();
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter });
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));

for (let times = 0; times < 3; times += 1) fail();
await reader.forceFlush();
console.log(`spans: ${spans.getFinishedSpans().map((span) => span.name).join(' ')}`);
const counters = exporter.getMetrics().flatMap((one) => one.scopeMetrics.flatMap((scope) => scope.metrics));
for (const { descriptor, dataPoints } of counters) console.log(`${descriptor.name}: ${dataPoints.map((point) => point.value)}`);
process.exit();
JS
diff - <(node try.mjs) <<'SEEN'
spans: fail fail fail
retries: 3
SEEN
echo 'as described'
