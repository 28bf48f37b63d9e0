import { createDeliveryRecovery } from '@rollcall/node';
import { createClockWatch } from '../clock-watch.js';
import { createDeliveries } from '../deliveries.js';
import { createDeployment } from '../deployment.js';
import { createKeyUse } from '../key-use.js';
import { createMailing } from '../mailing.js';
import { createService } from '../service.js';
import { createTimeZoneWatch } from '../time-zone-watch.js';
import { type Bindings, provide, provideValue } from './bindings.js';

export const serviceModule = {
  clockWatch: provide(['clock', 'log', 'errorTracker'], createClockWatch),
  timeZoneWatch: provide(['instanceStore', 'clock', 'log'], createTimeZoneWatch),
  keyUse: provide(['secretKeyStore', 'keyring', 'clock', 'log'], createKeyUse),
  deployment: provide(['adoptDeployment', 'log'], ({ adoptDeployment, log }) =>
    createDeployment({ adopt: adoptDeployment, log }),
  ),
  deliveryRecovery: provide(['core', 'isShared', 'log'], createDeliveryRecovery),
  deliveries: provide(
    ['core', 'dispatcher', 'deployment', 'deliveryRecovery'],
    ({ deliveryRecovery, ...parts }) => createDeliveries({ ...parts, recovery: deliveryRecovery }),
  ),
  mailing: provide(['core', 'mailer', 'log', 'errorTracker', 'metrics'], ({ metrics, ...parts }) =>
    createMailing({ ...parts, observe: metrics?.observeMail }),
  ),
  preparation: provideValue(async () => {}),
  service: provide(
    [
      'clockWatch',
      'keyUse',
      'deployment',
      'deliveryRecovery',
      'preparation',
      'metricsServer',
      'publicServer',
      'operatorServer',
      'instanceRecord',
      'timeZoneWatch',
      'deliveries',
      'mailing',
      'pruner',
      'securityLog',
      'errorTracker',
    ],
    createService,
  ),
} satisfies Bindings;
