import { openapi } from '@rollcall/contracts';
import type { Limit, Limits } from '@rollcall/core';
import {
  type AppOptions,
  createApp,
  createOperatorApp,
  createPages,
  type HttpServerOptions,
  privateHost,
} from '@rollcall/express';
import { browserCipher, createDeliveryRecovery, formTokens, sameText } from '@rollcall/node';
import { type Container, ContainerModule, type ResolutionContext } from 'inversify';
import { createCallLog } from '../call-log.js';
import { createClockWatch } from '../clock-watch.js';
import type { Config } from '../config.js';
import { createDeliveries } from '../deliveries.js';
import { createDeployment } from '../deployment.js';
import { createKeyUse } from '../key-use.js';
import type { Listening } from '../listen-failure.js';
import { createListeningServer } from '../listening-server.js';
import { createMailing } from '../mailing.js';
import { importRecords } from '../operator/import-records.js';
import { createInstanceRecord } from '../operator/instances.js';
import { readStatus } from '../operator/status.js';
import type { Part } from '../part.js';
import { personalDocument } from '../personal-document.js';
import { createPruner } from '../pruner.js';
import { createReadinessDrain, readyUntilDrained } from '../readiness-drain.js';
import { createService } from '../service.js';
import { createTimeZoneWatch } from '../time-zone-watch.js';
import { version } from '../version.js';
import { coreContainer, type Foundation } from './core-container.js';
import { ID } from './identifiers.js';

/** Puts the whole service together: the core with its adapters, HTTP, and what runs in the background. */
export function assemble(foundation: Foundation): Container {
  const container = coreContainer(foundation);
  container.load(http, service);
  return container;
}

const http = new ContainerModule(({ bind }) => {
  bind(ID.isMounted).toConstantValue(false);
  bind(ID.pagesOptions).toDynamicValue(({ get }) => {
    const config = get(ID.config);
    return {
      core: get(ID.core),
      formTokens: formTokens(get(ID.keyring)),
      browserCipher: browserCipher(get(ID.keyring), get(ID.ports).clock),
      errorTracker: get(ID.errorTracker),
      isMounted: get(ID.isMounted),
      sendsMail: get(ID.mailer) !== null,
      publicUrl: config.publicUrl,
      serviceName: config.serviceName,
      brand: config.brand,
      meetingUrl: config.meetingUrl,
      supportUrl: config.support,
      defaultTimeZone: config.reportingTimeZone,
      visits: {
        limits: get(ID.visitCounts),
        pagesPerMinute: config.pageLimit,
        feedsPerMinute: config.feedLimit,
      },
      openapi,
    };
  });
  bind(ID.pages).toResolvedValue(createPages, [ID.pagesOptions]);
  bind(ID.callLog).toResolvedValue(
    ({ apiCalls }, clock, log, errorTracker) => createCallLog({ apiCalls, clock, log, errorTracker }),
    [ID.storage, ID.clock, ID.log, ID.errorTracker],
  );
  // No other process serves an SQLite file: a proxy that notices has nowhere else to send requests.
  bind(ID.readinessDrain).toResolvedValue(
    (isShared) => createReadinessDrain(isShared ? {} : { maxDrainMs: 0 }),
    [ID.isShared],
  );
  bind(ID.appOptions).toDynamicValue(({ get }) => {
    const config = get(ID.config);
    return {
      core: get(ID.core),
      errorTracker: get(ID.errorTracker),
      isMounted: get(ID.isMounted),
      log: get(ID.log),
      pages: get(ID.pages),
      publicUrl: config.publicUrl,
      stagingUrl: config.stagingUrl,
      limitRequests: requestLimit(config, get(ID.limits)),
      observe: get(ID.metrics)?.observeRequest,
      recordCall: get(ID.callLog).record,
      ready: readyUntilDrained(get(ID.readiness), get(ID.readinessDrain)),
      trustProxy: config.trustProxy ?? undefined,
      withDeadline: get(ID.requestDeadline),
    };
  });
  bind(ID.app).toResolvedValue(createApp, [ID.appOptions]);
  // Proxies may send any name.
  bind(ID.publicHostProblem).toConstantValue(undefined);
  bind(ID.publicServer).toDynamicValue(({ get }) => {
    const { port, host, keepAliveMs } = get(ID.config);
    return createListeningServer('public', {
      hostProblem: get(ID.publicHostProblem),
      handler: get(ID.app),
      at: { port, host },
      timeouts: { keepAlive: keepAliveMs },
      log: get(ID.log),
      drain: get(ID.readinessDrain).drain,
    });
  });
});

/** Counts the requests of each organization in a minute. Undefined when they are not limited. */
function requestLimit(
  { requestLimit: points }: Pick<Config, 'requestLimit'>,
  limits: Limits,
): AppOptions['limitRequests'] {
  if (points === null) return undefined;
  const limit: Limit = { name: 'requests', points, seconds: 60 };
  return (organizationId) => limits.consume(limit, String(organizationId));
}

const service = new ContainerModule(({ bind }) => {
  bind(ID.preparation).toConstantValue(async () => {});
  bind(ID.service).toDynamicValue((context) => {
    const { get } = context;
    const config = get(ID.config);
    const log = get(ID.log);
    const errorTracker = get(ID.errorTracker);
    const core = get(ID.core);
    const clock = get(ID.clock);
    const instanceStore = get(ID.instanceStore);
    const deployment = createDeployment({ adopt: get(ID.adoptDeployment), log });
    const deliveryRecovery = createDeliveryRecovery({ core, isShared: get(ID.isShared), log });
    return createService({
      clockWatch: createClockWatch({ clock, log, errorTracker }),
      historyWatch: get(ID.historyWatch),
      keyUse: createKeyUse({ secretKeyStore: get(ID.secretKeyStore), keyring: get(ID.keyring), clock, log }),
      deployment,
      deliveryRecovery,
      preparation: get(ID.preparation),
      instanceRecord: createInstanceRecord({
        instanceStore,
        clock,
        instanceId: get(ID.instanceId),
        version: version(),
      }),
      timeZoneWatch: createTimeZoneWatch({ instanceStore, clock, log }),
      metricsServer: metricsServer(context),
      operatorServer: operatorServer(context),
      publicServer: get(ID.publicServer),
      callLog: get(ID.callLog),
      deliveries: createDeliveries({
        core,
        dispatcher: get(ID.dispatcher),
        hearing: get(ID.hearing),
        deployment,
        recovery: deliveryRecovery,
      }),
      mailing: createMailing({
        core,
        mailer: get(ID.mailer),
        log,
        errorTracker,
        observe: get(ID.metrics)?.observeMail,
      }),
      pruner: createPruner({
        prune: get(ID.prune),
        clock,
        log,
        errorTracker,
        deliveryRetentionDays: config.deliveryRetentionDays,
        eventRetentionDays: config.eventRetentionDays,
      }),
      securityLog: get(ID.securityLog),
      errorTracker,
    });
  });
});

/** Listens on a separate, private port. */
function privateServer({ get }: ResolutionContext, { name, at, handler, timeouts }: PrivateServer): Part {
  const { keepAliveMs, privateHostNames } = get(ID.config);
  return createListeningServer(name, {
    handler,
    at,
    timeouts: { keepAlive: keepAliveMs, ...timeouts },
    hostProblem: privateHost([...privateHostNames, at.host]),
    log: get(ID.log),
  });
}

interface PrivateServer extends Pick<HttpServerOptions, 'handler' | 'timeouts'> {
  readonly name: 'metrics' | 'operator';
  readonly at: Listening;
}

const noServer: Part = { start: async () => {}, stop: async () => {} };

function metricsServer(context: ResolutionContext): Part {
  const { metrics: at } = context.get(ID.config);
  const handler = context.get(ID.metrics)?.handler;
  if (at === null || handler === undefined) return noServer;
  return privateServer(context, { name: 'metrics', at, handler });
}

/** A year of records may take minutes to arrive. A client that sends nothing for a minute is cut off all the same. */
const MAX_IMPORT_MS = 60 * 60_000;

function operatorServer(context: ResolutionContext): Part {
  const { get } = context;
  const { operator: at } = get(ID.config);
  if (at === null) return noServer;
  const core = get(ID.core);
  const imports = get(ID.imports);
  const clock = get(ID.clock);
  const log = get(ID.log);
  const statusDeps = {
    readiness: get(ID.readiness),
    backlog: get(ID.storageMetrics).backlog,
    imports,
    instanceStore: get(ID.instanceStore),
    clock,
  };
  const recordsDeps = { imports, clock, dispatcher: get(ID.dispatcher) };
  const handler = createOperatorApp({
    core,
    operations: {
      importRecords: (request) => importRecords(recordsDeps, request),
      personalData: async (person) => personalDocument(await core.readUserData(person)),
      status: () => readStatus(statusDeps),
    },
    securityLog: get(ID.securityLog),
    errorTracker: get(ID.errorTracker),
    log,
    observe: get(ID.metrics)?.observeRequest,
    isToken: (token) => sameText(token, at.token.reveal()),
  });
  const timeouts = { request: MAX_IMPORT_MS };
  const server = privateServer(context, { name: 'operator', at, handler, timeouts });
  return {
    async start() {
      await server.start();
      log.info({ host: at.host, port: at.port }, "Serving the operator's API");
      imports.start();
    },
    async stop() {
      await server.stop();
      await imports.stop();
    },
  };
}
