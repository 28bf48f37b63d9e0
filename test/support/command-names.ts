import type { Command } from 'commander';
import { createProgram } from '#app/program.js';

/** The names of all commands, and of the groups that contain them. */
export const { commands, groups } = namesIn(createProgram());

function namesIn(parent: Command, before = ''): { readonly commands: string[]; readonly groups: string[] } {
  const found = { commands: [] as string[], groups: [] as string[] };
  for (const command of parent.commands) {
    const name = `${before}${command.name()}`;
    const inside = namesIn(command, `${name} `);
    if (inside.commands.length === 0) found.commands.push(name);
    else found.groups.push(name);
    found.commands.push(...inside.commands);
    found.groups.push(...inside.groups);
  }
  return found;
}

/** The help of a command and of all commands in it. */
export function helpTexts(command: Command): readonly string[] {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return [text, ...command.commands.flatMap(helpTexts)];
}
