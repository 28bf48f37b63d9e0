import type { Core, ErrorTracker, SecurityLog } from '@rollcall/core';
import type { Express } from 'express';
import { strictExpress, unknownPath } from '../add-operations.js';
import { answerErrors } from '../answer-errors.js';
import type { OtherAnswers } from '../errors.js';
import { type ReceiveOptions, receive } from '../receive.js';
import { traceRequests } from '../trace-requests.js';
import { authorizeOperator } from './authorize-operator.js';
import type { Operations } from './operations.js';
import { createOperatorApi, OPERATOR_BASE } from './operator-api.js';

/** The private port has no proxy with HTTPS of its own. */
const publicUrl = 'http://localhost';

export interface OperatorAppOptions extends Pick<ReceiveOptions, 'log' | 'observe'> {
  readonly core: Core;
  readonly operations: Operations;
  /** Compares in constant time. */
  readonly isToken: (token: string) => boolean;
  readonly securityLog: SecurityLog;
  readonly errorTracker: ErrorTracker;
}

/** The operator knows organizations by their numbers, so an unknown one is a wrong path. So is an unknown person. */
const otherAnswers: OtherAnswers = {
  'organization-not-found': { status: 404, code: 'organization-not-found' },
  'user-not-found': { status: 404, code: 'user-not-found' },
  'last-owner': { status: 409, code: 'last-owner' },
};

/** The operator's API as an Express application. Every path of it needs the token, also an unknown one. */
export function createOperatorApp(options: OperatorAppOptions): Express {
  const { log, observe } = options;
  const app = strictExpress();
  app.use(traceRequests({ publicUrl }));
  app.use(receive({ log, observe, publicUrl }));
  app.use(authorizeOperator(options));
  app.use(OPERATOR_BASE, createOperatorApi(options));
  app.use(unknownPath);
  app.use(answerErrors(options.errorTracker, otherAnswers));
  return app;
}
