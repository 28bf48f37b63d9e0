import { createOperatorApp, type Operations, privateHost } from '@rollcall/express';
import { sameText } from '@rollcall/node';
import { importRecords } from '../operator/import-records.js';
import { createInstanceRecord } from '../operator/instances.js';
import { createOperatorServer } from '../operator/operator-server.js';
import { readStatus } from '../operator/status.js';
import { personalDocument } from '../personal-document.js';
import { version } from '../version.js';
import { type Bindings, provide } from './bindings.js';

export const operatorModule = {
  operations: provide(
    ['core', 'imports', 'instanceStore', 'clock', 'dispatcher', 'readiness', 'storageMetrics'],
    ({ core, storageMetrics: { backlog }, ...needs }): Operations => ({
      importRecords: (request) => importRecords(needs, request),
      personalData: async (person) => personalDocument(await core.readUserData(person)),
      status: () => readStatus({ ...needs, backlog }),
    }),
  ),
  operatorApp: provide(
    ['config', 'core', 'operations', 'securityLog', 'errorTracker', 'log', 'metrics'],
    ({ config: { operator }, metrics, ...needs }) =>
      createOperatorApp({
        ...needs,
        observe: metrics?.observeRequest,
        isToken: (token) => operator !== null && sameText(token, operator.token.reveal()),
      }),
  ),
  operatorServer: provide(['config', 'operatorApp', 'imports', 'log'], ({ config, operatorApp, ...needs }) =>
    createOperatorServer({
      ...needs,
      handler: operatorApp,
      at: config.operator,
      timeouts: { keepAlive: config.keepAliveMs },
      hostProblem: privateHost([...config.privateHostNames, config.operator?.host ?? '']),
    }),
  ),
  instanceRecord: provide(['instanceStore', 'clock', 'instanceId'], (needs) =>
    createInstanceRecord({ ...needs, version: version() }),
  ),
} satisfies Bindings;
