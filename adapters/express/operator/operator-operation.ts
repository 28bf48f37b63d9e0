import type { operatorOperations } from '@rollcall/contracts';
import type { Actor, Core } from '@rollcall/core';
import type { Request, RequestHandler, Response } from 'express';
import { writeJson } from '../answer.js';
import { inputRules, type OperatorOperationId, successStatus } from '../contract.js';
import { localsOf } from '../locals.js';
import {
  type AnswerOf,
  addressOf,
  type InputOf,
  name,
  noInput,
  readInput,
  refuseBrokenPath,
} from '../operation.js';
import type { Operations } from './operations.js';

/** A request that has passed every check. */
export interface OperatorCall<Input = unknown> {
  readonly core: Core;
  readonly operations: Operations;
  /** The decoded variables of the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly input: Input;
  /** For the audit trail. */
  readonly by: Actor;
  /** For a route that reads the body itself. */
  readonly request: Request;
  readonly response: Response;
}

/** An operation of operator.yaml and the route that answers it. */
export interface OperatorOperation {
  readonly id: OperatorOperationId;
  readonly run: (call: OperatorCall) => Promise<object>;
}

type Operation<Id extends OperatorOperationId> = operatorOperations[Id];

/** Joins an operation with its route. */
export function operatorOperation<Id extends OperatorOperationId>(
  id: Id,
  run: (call: OperatorCall<InputOf<Operation<Id>>>) => Promise<AnswerOf<Operation<Id>>>,
): OperatorOperation {
  return { id, run: run as OperatorOperation['run'] };
}

/** Returns the handlers of an operation, in order: path, body or query, route, answer. */
export function operatorHandlersOf(
  { core, operations }: Pick<OperatorCall, 'core' | 'operations'>,
  { id, run, route }: OperatorOperation & { readonly route: string },
): readonly RequestHandler[] {
  const status = successStatus(id);
  return [
    name(id, route),
    refuseBrokenPath,
    ...(inputRules(id).from === 'nowhere' ? [] : [readInput(id)]),
    async (request, response) => {
      const { input } = localsOf(response).checked ?? noInput;
      const by: Actor = { who: { kind: 'operator' }, from: addressOf(request) || null };
      const path = request.params as OperatorCall['path'];
      writeJson(response, status, await run({ core, operations, path, input, by, request, response }));
    },
  ];
}
