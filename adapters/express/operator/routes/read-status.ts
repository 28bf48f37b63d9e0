import { operatorOperation } from '../operator-operation.js';

export const readStatus = operatorOperation('readStatus', ({ operations }) => operations.status());
