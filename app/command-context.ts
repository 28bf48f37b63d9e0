import type { Container, ServiceIdentifier } from 'inversify';
import { coreContainer, type Foundation } from './assembly/core-container.js';
import { ID } from './assembly/identifiers.js';

const parts = [
  ...(['config', 'coreOptions', 'database', 'ports', 'core', 'clock'] as const),
  ...(['keyring', 'secretKeyStore'] as const),
] as const;

/** Everything that a command can use. */
export type CommandContext = {
  readonly [Name in (typeof parts)[number]]: (typeof ID)[Name] extends ServiceIdentifier<infer Value>
    ? Value
    : never;
};

/** Creates the core with its adapters. Loads no module that serves HTTP. */
export function createCommandContext(foundation: Required<Foundation>): CommandContext {
  return commandContextOf(coreContainer(foundation));
}

export function commandContextOf(container: Container): CommandContext {
  const values = parts.map((name) => [name, container.get<unknown>(ID[name])]);
  return Object.fromEntries(values) as CommandContext;
}
