import type { ComponentChildren } from 'preact';
import { CopyText } from '../design/components.js';
import type { ApiFacts } from './api-facts.js';
import type { Command, CommandId } from './guide-commands.js';
import type { Receiver } from './receivers.js';

/** What the sections of the guide are made of. */
export interface GuideContent {
  readonly serviceName: string;
  readonly facts: ApiFacts;
  readonly commands: readonly Command[];
  readonly receivers: readonly Receiver[];
}

/** A command to copy. */
export function Shell({ commands, id }: Pick<GuideContent, 'commands'> & { readonly id: CommandId }) {
  const found = commands.find((command) => command.id === id);
  if (found === undefined) throw new Error(`the guide has no command ${id}`);
  return <CopyText id={`shell-${id}`} label={found.label} text={found.command} isLong />;
}

/** Several values of a parameter. */
export function codes(values: readonly string[]): ComponentChildren {
  return values.flatMap((value, index) => [index === 0 ? '' : ' or ', <code key={value}>{value}</code>]);
}

/** A sentence of the OpenAPI document, with code between backquotes. */
export function withCode(sentence: string): ComponentChildren {
  return sentence.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}
