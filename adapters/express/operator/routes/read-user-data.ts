import { operatorOperation } from '../operator-operation.js';
import { personIn } from '../person.js';

/** By POST, so that no log of paths has the address. */
export const readUserData = operatorOperation('readUserData', ({ operations, input }) =>
  operations.personalData(personIn(input)),
);
