import type { Limit } from '@rollcall/core';
import { type AppOptions, createApp, type HttpServerOptions, privateHost } from '@rollcall/express';
import { createMetricsServer } from '../metrics-server.js';
import { createPublicServer } from '../public-server.js';
import type { Readiness } from '../readiness.js';
import { createReadinessDrain } from '../readiness-drain.js';
import { type Bindings, type ContainerValues, provide, provideValue } from './bindings.js';

export const httpModule = {
  isMounted: provideValue(false),
  // Proxies may send any name.
  publicHostProblem: provideValue<HttpServerOptions['hostProblem']>(undefined),
  readinessDrain: provide([], () => createReadinessDrain()),
  appOptions: provide(
    [
      'config',
      'core',
      'errorTracker',
      'isMounted',
      'limits',
      'log',
      'metrics',
      'pages',
      'readiness',
      'readinessDrain',
      'requestDeadline',
    ],
    ({ config, metrics, ...needs }): AppOptions => ({
      core: needs.core,
      errorTracker: needs.errorTracker,
      isMounted: needs.isMounted,
      log: needs.log,
      pages: needs.pages,
      publicUrl: config.publicUrl,
      stagingUrl: config.stagingUrl,
      limitRequests: requestLimit({ config, limits: needs.limits }),
      observe: metrics?.observeRequest,
      ready: readinessUntilStop(needs),
      trustProxy: config.trustProxy ?? undefined,
      withDeadline: needs.requestDeadline,
    }),
  ),
  app: provide(['appOptions'], ({ appOptions }) => createApp(appOptions)),
  publicServer: provide(
    ['app', 'config', 'log', 'publicHostProblem', 'readinessDrain'],
    ({ app, config: { port, host, keepAliveMs }, log, publicHostProblem, readinessDrain }) =>
      createPublicServer({
        hostProblem: publicHostProblem,
        handler: app,
        at: { port, host },
        timeouts: { keepAlive: keepAliveMs },
        log,
        drain: readinessDrain,
      }),
  ),
  metricsServer: provide(['metrics', 'config', 'log'], ({ metrics, config, log }) =>
    createMetricsServer({
      metrics,
      at: config.metrics,
      timeouts: { keepAlive: config.keepAliveMs },
      hostProblem: privateHost([...config.privateHostNames, config.metrics?.host ?? '']),
      log,
    }),
  ),
} satisfies Bindings;

/** Counts the requests of each organization in a minute. Undefined when they are not limited. */
function requestLimit({
  config: { requestLimit },
  limits,
}: Pick<ContainerValues, 'config' | 'limits'>): AppOptions['limitRequests'] {
  if (requestLimit === null) return undefined;
  const limit: Limit = { name: 'requests', points: requestLimit, seconds: 60 };
  return (organizationId) => limits.fail(limit, String(organizationId));
}

/** Reports that the service is not ready as soon as it starts to stop. */
function readinessUntilStop({
  readiness,
  readinessDrain,
}: Pick<ContainerValues, 'readiness' | 'readinessDrain'>): Readiness {
  return async () => {
    if (readinessDrain.recordProbe()) return readiness();
    return [{ name: 'serving', state: 'failed' }, ...(await readiness())];
  };
}
