import type {
  CommonPasswords,
  Core,
  CoreOptions,
  Ids,
  Limits,
  Passwords,
  Ports,
  Secrets,
  StoragePorts,
  Tokens,
  WebhookSender,
} from '@rollcall/core';
import type {
  AppOptions,
  createApp,
  createOperatorApp,
  createPages,
  HttpServerOptions,
  Operations,
  PagesOptions,
  WithDeadline,
} from '@rollcall/express';
import type {
  BoundedSecurityLog,
  BrowserCipher,
  CorrectedClock,
  DeliveryRecovery,
  FormTokens,
  Keyring,
  Logger,
  QueuedPasswords,
  RunningDispatcher,
} from '@rollcall/node';
import type { DatabaseMetricsOptions, Metrics } from '@rollcall/node/metrics';
import type { Database, DeliveryHints } from '@rollcall/sql';
import type { Deployment, Prune, Pruned } from '@rollcall/sql/maintenance';
import type { CommandContext } from '../command-context.js';
import type { Config } from '../config.js';
import type { StoppableMailer } from '../mailing.js';
import type { Imports } from '../operator/imports.js';
import type { InstanceStore } from '../operator/instances.js';
import type { Part } from '../part.js';
import type { PublicServer } from '../public-server.js';
import type { Readiness } from '../readiness.js';
import type { ReadinessDrain } from '../readiness-drain.js';
import type { SecretKeyStore } from '../secret-key-store.js';
import type { Service } from '../service.js';
import type { FlushedErrorTracker } from './error-tracker.js';
import type { LocalReceivers } from './webhook-sender.js';

/** Every name in the container, with the type of its value. */
export interface ContainerValues {
  // The foundation, which exists before anything else is created.
  readonly config: Config;
  readonly log: Logger;
  readonly database: Database;

  // Values that use the database. Storage without a database replaces all of them.
  /** Where deliveries may wait. Only the storage reads it. */
  readonly deliveryHints: DeliveryHints;
  readonly storage: StoragePorts;
  /** Whether several processes may serve the same data at once. */
  readonly isShared: boolean;
  /** Reads the time that all processes use. Null when each process uses its own clock. */
  readonly sharedTime: (() => Promise<Date>) | null;
  /** Counts for all processes together. Null when each process counts for itself. */
  readonly sharedLimits: ((clock: Pick<CorrectedClock, 'now'>) => Limits) | null;
  readonly readiness: Readiness;
  readonly storageMetrics: Omit<DatabaseMetricsOptions, 'now'>;
  /** Gives all steps of a request one deadline. */
  readonly requestDeadline: WithDeadline;
  readonly prune: (request: Prune) => Promise<Pruned>;
  readonly secretKeyStore: SecretKeyStore;
  readonly adoptDeployment: () => Promise<Deployment>;
  readonly imports: Imports;
  readonly instanceStore: InstanceStore;

  // Adapters
  readonly clock: CorrectedClock;
  readonly ids: Ids;
  /** A UUID of this run of the process, in its log lines and in the list of instances. */
  readonly instanceId: string;
  readonly limits: Limits;
  /** Counts visits to pages, in this process only. */
  readonly visitCounts: Limits;
  readonly keyring: Keyring;
  readonly tokens: Tokens;
  readonly secrets: Secrets;
  readonly formTokens: FormTokens;
  readonly browserCipher: BrowserCipher;
  readonly passwords: Passwords & Partial<QueuedPasswords>;
  readonly commonPasswords: CommonPasswords;
  readonly localReceivers: LocalReceivers;
  readonly webhookSender: WebhookSender;
  /** Null when no mail is sent. */
  readonly mailer: StoppableMailer | null;
  readonly errorTracker: FlushedErrorTracker;
  readonly securityLog: BoundedSecurityLog;
  /** Null when no metrics are configured, so that nothing is measured. */
  readonly metrics: Metrics | null;
  readonly metricsServer: Part;
  /** What is wrong with the `Host` of a request to the public port. Undefined: any is right. */
  readonly publicHostProblem: HttpServerOptions['hostProblem'];

  // The core
  readonly coreOptions: CoreOptions;
  readonly dispatcher: RunningDispatcher;
  readonly ports: Ports;
  readonly core: Core;
  readonly commandContext: CommandContext;

  // HTTP
  /** Whether the application is part of another Express application. */
  readonly isMounted: boolean;
  readonly pagesOptions: PagesOptions;
  readonly pages: ReturnType<typeof createPages>;
  readonly appOptions: AppOptions;
  readonly app: ReturnType<typeof createApp>;
  readonly readinessDrain: ReadinessDrain;
  readonly publicServer: PublicServer;

  // The operator's API
  readonly operations: Operations;
  readonly operatorApp: ReturnType<typeof createOperatorApp>;
  readonly operatorServer: Part;

  // The parts of a running service
  readonly instanceRecord: Part;
  readonly timeZoneWatch: Part;
  readonly clockWatch: Part;
  readonly keyUse: Part;
  readonly deployment: Part & Pick<Deployment, 'recordClaims'>;
  readonly deliveryRecovery: DeliveryRecovery;
  readonly deliveries: Part;
  readonly mailing: Part;
  readonly pruner: Part;
  /** Runs before the service can be reached. */
  readonly preparation: () => Promise<void>;
  readonly service: Service;
}

export type BindingName = keyof ContainerValues;

/** Creates one value from others. */
export interface Provider<Value> {
  readonly needs: readonly BindingName[];
  make(needs: Partial<ContainerValues>): Value;
}

/** A provider for each of some names. */
export type Bindings = { readonly [Key in BindingName]?: Provider<ContainerValues[Key]> };

/** Returns a provider that creates a value from the values of these names. */
export function provide<const Key extends BindingName, Value>(
  needs: readonly Key[],
  make: (needs: Pick<ContainerValues, Key>) => Value,
): Provider<Value> {
  return { needs, make: (given) => make(given as Pick<ContainerValues, Key>) };
}

/** Returns a provider of an existing value. */
export function provideValue<Value>(value: Value): Provider<Value> {
  return { needs: [], make: () => value };
}

/** Returns a provider that changes the value of another provider. */
export function provideChanged<Value>(
  { needs, make }: Provider<Value>,
  change: (value: Value) => Value,
): Provider<Value> {
  return { needs, make: (given) => change(make(given)) };
}
