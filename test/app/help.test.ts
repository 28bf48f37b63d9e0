import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '#app/program.js';
import { rollcall, run, temporaryDirectory } from '../support/app-cli.js';
import { commands, groups } from '../support/command-names.js';

let directory: ReturnType<typeof temporaryDirectory>;

let cwd: string;

before(() => {
  directory = temporaryDirectory();
  cwd = directory.path;
});

after(() => directory.remove());

describe('The command', () => {
  test('can be executed, as npx does, after every build', async () => {
    // Printed from a file, and as the program prints it.
    for (const option of ['--version', '-V', '--help', '-h']) {
      const { stdout } = await run([option], { cwd });
      assert.equal(execFileSync(rollcall, [option], { cwd }).toString(), stdout);
    }
  });
});

describe('Help', () => {
  test('is tested for every command', () => {
    assert.deepEqual(commands, [
      'serve',
      'demo',
      'migrate',
      'import',
      'copy',
      'keys',
      'prune',
      'sample',
      'deliveries list',
      'deliveries show',
      'deliveries redeliver',
      'deliveries release',
      'deliveries hold',
      'organization create',
      'organization list',
      'organization rename',
      'organization remove',
      'organization activity',
      'access-key generate',
      'user create',
      'user set-password',
      'user end-sessions',
      'user set-email',
      'user set-name',
      'user data',
      'user erase',
      'member add',
      'member list',
      'member set',
      'member change-role',
      'member remove',
      'configuration',
      'completion',
    ]);
    assert.deepEqual(groups, ['deliveries', 'organization', 'access-key', 'user', 'member']);
  });

  test('names every command', async () => {
    const { code, stdout, stderr } = await run(['--help'], { cwd });
    assert.deepEqual([code, stderr], [0, '']);
    for (const command of commands) assert.match(stdout, new RegExp(`^  ${command.split(' ')[0]}\\b`, 'm'));
  });

  for (const command of commands) {
    test(`of ${command} has an example, and --json`, async () => {
      const { code, stdout, stderr } = await run([...command.split(' '), '--help'], { cwd });
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /Examples?:\n {2}\$ /);
      assert.ok(stdout.includes(`rollcall ${command}`));
      assert.match(stdout, /^ {2}--json /m);
    });
  }

  test('prints the version', async () => {
    const { code, stdout } = await run(['--version'], { cwd });
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });
});

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
