import { type Command, Option } from 'commander';
import { notEmpty, positiveInteger, timestamp } from '../cli/arguments.js';

/** States in which a delivery neither waits for sending nor is being sent. */
export const restingStates = ['delivered', 'failed', 'skipped', 'held'] as const;

/** Adds a command that only has other commands. */
export function group(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description);
}

interface CommandParts {
  readonly options?: readonly Option[];
  /** The meaning of `--json`, the last option. */
  readonly json?: string;
  /** Text of the help after the options, with empty lines around it. */
  readonly details?: string;
  readonly examples: readonly string[];
}

/** Adds a command, which inherits from its parent how errors are shown. */
export function command(
  parent: Command,
  name: string,
  description: string,
  { options = [], json = 'print one JSON document', details = '', examples: lines }: CommandParts,
): Command {
  const added = group(parent, name, description);
  for (const option of [...options, new Option('--json', json)]) added.addOption(option);
  return added.addHelpText('after', details + examples(...lines));
}

/** The last part of a command's help. */
export function examples(...lines: readonly string[]): string {
  const title = lines.length === 1 ? 'Example' : 'Examples';
  return `\n${title}:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

export function requiredOption(flags: string, description: string): Option {
  return new Option(flags, description).makeOptionMandatory();
}

export function numberOption(flags: string, description: string, parse = positiveInteger): Option {
  return new Option(flags, description).argParser(parse);
}

export function organizationOption(): Option {
  return numberOption('--organization <id>', 'the number of the organization').makeOptionMandatory();
}

export function optionalOrganizationOption(): Option {
  return numberOption('--organization <id>', 'only this organization (default: all)');
}

export function emailOption(description: string): Option {
  return optionalEmailOption(description).makeOptionMandatory();
}

export function optionalEmailOption(description: string): Option {
  return new Option('--email <address>', description).argParser(notEmpty);
}

export function nameOptions(): readonly Option[] {
  return ['first', 'last'].map((which) => requiredOption(`--${which}-name <name>`, `${which} name`));
}

export function roleOption(): Option {
  return requiredOption('--role <role>', 'the role of the member').choices(['owner', 'admin', 'member']);
}

export function pageOption(): Option {
  return numberOption('--page <number>', 'the page to show, 50 entries each').default(1);
}

export function sinceOption(): Option {
  return new Option(
    '--since <time>',
    'only events since this time, such as 2026-11-20T18:00:00Z or 24h',
  ).argParser(timestamp);
}

export function untilOption(): Option {
  return new Option('--until <time>', 'only events before this time').argParser(timestamp);
}
