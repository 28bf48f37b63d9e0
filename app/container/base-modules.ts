import type { Bindings } from './bindings.js';
import { clockModule } from './clock.js';
import { commandModule } from './command.js';
import { coreModule } from './core.js';
import { cryptoModule } from './crypto.js';
import { errorTrackerModule } from './error-tracker.js';
import { idsModule } from './ids.js';
import { limitsModule } from './limits.js';
import { mailerModule } from './mailer.js';
import { metricsModule } from './metrics.js';
import { storageModule } from './storage.js';
import { webhookSenderModule } from './webhook-sender.js';

/** The core with its adapters, without HTTP. Commands load nothing else. */
export const baseModules: readonly Bindings[] = [
  storageModule,
  clockModule,
  idsModule,
  limitsModule,
  cryptoModule,
  webhookSenderModule,
  mailerModule,
  errorTrackerModule,
  metricsModule,
  coreModule,
  commandModule,
];
