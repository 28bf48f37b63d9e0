import { type Command, Option } from 'commander';
import { notEmpty, positiveInteger, timestamp } from '../cli/arguments.js';

/** States in which a delivery neither waits for sending nor is being sent. */
export const restingStates = ['delivered', 'failed', 'skipped', 'held'] as const;

/** Adds a command, which inherits from its parent how errors are shown. */
export function command(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description);
}

export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document');
}

export function organizationOption(): Option {
  return new Option('--organization <id>', 'the number of the organization')
    .argParser(positiveInteger)
    .makeOptionMandatory();
}

export function optionalOrganizationOption(): Option {
  return new Option('--organization <id>', 'only this organization (default: all)').argParser(
    positiveInteger,
  );
}

export function emailOption(description: string): Option {
  return optionalEmailOption(description).makeOptionMandatory();
}

export function optionalEmailOption(description: string): Option {
  return new Option('--email <address>', description).argParser(notEmpty);
}

export function nameOption(which: 'first' | 'last'): Option {
  return new Option(`--${which}-name <name>`, `${which} name`).makeOptionMandatory();
}

export function roleOption(): Option {
  return new Option('--role <role>', 'the role of the member')
    .choices(['owner', 'admin', 'member'])
    .makeOptionMandatory();
}

export function pageOption(): Option {
  return new Option('--page <number>', 'the page to show, 50 entries each')
    .argParser(positiveInteger)
    .default(1);
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

/** The last part of a command's help. */
export function examples(...lines: readonly string[]): string {
  const title = lines.length === 1 ? 'Example' : 'Examples';
  return `\n${title}:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
