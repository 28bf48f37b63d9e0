export type { DatabaseMetricsOptions } from './system/database-metrics.js';
export { type Metrics, type PrometheusOptions, prometheusMetrics } from './system/metrics.js';
