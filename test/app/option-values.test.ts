import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '#app/program.js';

describe('The value of an option', () => {
  const program = createProgram();
  const refusals: string[] = [];
  const all = descendants(program);
  for (const { command } of all) {
    command.exitOverride().configureOutput({ writeErr: (text) => refusals.push(text) });
    command.action((...given) => {
      throw new Error(JSON.stringify(given.at(-2)));
    });
  }

  const parse = (...args: readonly string[]): string => {
    try {
      program.parse([...args], { from: 'user' });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return '';
  };

  test('is not another option, `--` or help, unless it is written with =', () => {
    let tried = 0;
    for (const { command, path } of all)
      for (const option of command.options.filter(({ required }) => required))
        for (const name of [option.long, option.short].filter((one) => typeof one === 'string')) {
          const others = command.options.flatMap(({ long, short }) => [long, short]);
          for (const other of [...others, '--help', '-h', '--', '--json=1'])
            if (typeof other === 'string') {
              tried += 1;
              assert.match(
                parse(...path, name, other),
                /argument missing: --?[\w=-]* is an option; if it/,
                `${path} ${name} ${other}`,
              );
            }
        }
    assert.ok(tried > 200, String(tried));
  });

  test('may begin with a hyphen with =, and otherwise if no option is called so', () => {
    const create = ['organization', 'create'];
    for (const [args, name] of [
      [['--name=--json'], '--json'],
      [['--name=--'], '--'],
      [['--name', '-5 degrees'], '-5 degrees'],
      [['--name', '--jsonified'], '--jsonified'],
      [['--name', '-'], '-'],
    ] as const)
      assert.deepEqual(JSON.parse(parse(...create, ...args)).name, name);
    assert.match(parse(...create, '--name', ''), /^\{/);
    assert.match(parse('import', '--', '--json'), /^\{/, 'after --, nothing is an option');
  });
});

function descendants(
  parent: Command,
  path: readonly string[] = [],
): readonly { readonly command: Command; readonly path: readonly string[] }[] {
  return parent.commands.flatMap((command) => {
    const here = [...path, command.name()];
    return command.commands.length === 0 ? [{ command, path: here }] : descendants(command, here);
  });
}
