import { createCore, type Ports } from '@rollcall/core';
import { createDispatcher } from '@rollcall/node';
import { coreOptions } from '../core-options.js';
import { type Bindings, provide } from './bindings.js';

export const coreModule = {
  coreOptions: provide(['config'], ({ config }) => coreOptions(config)),
  dispatcher: provide(['log', 'errorTracker', 'metrics'], ({ log, errorTracker, metrics }) =>
    createDispatcher({
      log,
      errorTracker,
      observe: metrics?.observeDelivery,
      observeClaim: metrics?.observeClaim,
    }),
  ),
  ports: provide(
    [
      'storage',
      'tokens',
      'secrets',
      'passwords',
      'commonPasswords',
      'webhookSender',
      'mailer',
      'dispatcher',
      'securityLog',
      'limits',
      'clock',
      'ids',
      'metrics',
    ],
    ({ storage, metrics, mailer, ...others }): Ports => ({
      ...storage,
      ...others,
      mailer: mailer ?? undefined,
      observer: metrics?.observer,
    }),
  ),
  core: provide(['ports', 'coreOptions'], ({ ports, coreOptions }) => createCore(ports, coreOptions)),
} satisfies Bindings;
