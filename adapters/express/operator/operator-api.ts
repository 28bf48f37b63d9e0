import express, { type Router } from 'express';
import { methodsOf } from '../add-operations.js';
import { keepBrokenParts } from '../api.js';
import { type OperatorCall, type OperatorOperation, operatorHandlersOf } from './operator-operation.js';
import { createOrganization } from './routes/create-organization.js';
import { eraseUser } from './routes/erase-user.js';
import { generateAccessKey } from './routes/generate-access-key.js';
import { importRecords } from './routes/import-records.js';
import { listOrganizations } from './routes/list-organizations.js';
import { readStatus } from './routes/read-status.js';
import { readUserData } from './routes/read-user-data.js';

/** The paths of the operator's API start with this. */
export const OPERATOR_BASE = '/operator/v1';

/** Every URL of operator.yaml in its order. Paths are matched exactly. HEAD works wherever GET does. */
export function createOperatorApi(options: Pick<OperatorCall, 'core' | 'operations'>): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(keepBrokenParts);
  const { get, post, refuseOthers } = methodsOf<OperatorOperation>(router, OPERATOR_BASE, (operation) =>
    operatorHandlersOf(options, operation),
  );

  post('/records', importRecords);
  get('/organizations', listOrganizations);
  post('/organizations', createOrganization);
  post('/organizations/:organizationId/access_key', generateAccessKey);
  post('/users/data', readUserData);
  post('/users/erase', eraseUser);
  get('/status', readStatus);

  refuseOthers();
  return router;
}
