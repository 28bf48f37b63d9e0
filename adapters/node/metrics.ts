export { type Metrics, type PrometheusOptions, prometheusMetrics } from './system/metrics.js';
