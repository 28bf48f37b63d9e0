import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { linesOf, run, shell } from '../support/app-cli.js';
import { folderForAll } from '../support/folders.js';

const cwd = folderForAll();
before(async () => {
  const { code, stdout } = await run(['completion', 'bash'], { cwd });
  assert.equal(code, 0);
  writeFileSync(join(cwd, 'rollcall.bash'), stdout);
});

/** What bash suggests when Tab is pressed after these words. */
async function suggestions(...words: readonly string[]): Promise<readonly string[]> {
  const script = `source rollcall.bash
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
    COMP_CWORD=${words.length - 1}
    _rollcall
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  writeFileSync(join(cwd, 'suggest.bash'), script);
  const { code, stdout, stderr } = await shell('bash suggest.bash', cwd);
  assert.deepEqual([code, stderr], [0, '']);
  return linesOf(stdout);
}

describe('Completion in bash', () => {
  const table: readonly (readonly [words: readonly string[], expected: readonly string[]])[] = [
    [['rollcall', 'org'], ['organization']],
    [
      ['rollcall', 'deliveries', ''],
      ['list', 'show', 'redeliver', 'release', 'hold'],
    ],
    [
      ['rollcall', 'organization', 'create', '--'],
      ['--name', '--eap', '--json', '--help'],
    ],
    [
      ['rollcall', 'serve', ''],
      ['--no-migrate', '--json', '--help'],
    ],
    [
      ['rollcall', 'demo', '--'],
      ['--fresh', '--json', '--help'],
    ],
    [['rollcall', 'deliveries', 'list', '--st'], ['--state']],
    [['rollcall', 'deliveries', 'list', '--state', 'f'], ['failed']],
    [['rollcall', 'deliveries', 'redeliver', '--state', 'h'], ['held']],
    [
      ['rollcall', 'member', 'add', '--role', ''],
      ['owner', 'admin', 'member'],
    ],
    [['rollcall', 'member', 'add', '--role', 'member', '--i'], ['--idp-id']],
    [['rollcall', 'organization', 'create', '--name', ''], []],
    [['rollcall', 'completion', 'z'], ['zsh']],
    // The shell itself completes file names where we suggest nothing.
    [['rollcall', 'import', ''], []],
    [['rollcall', 'import', '--j'], ['--json']],
  ];
  for (const [words, expected] of table) {
    test(`after "${words.join(' ')}" suggests ${expected.join(', ') || 'nothing'}`, async () => {
      assert.deepEqual(await suggestions(...words), expected);
    });
  }

  test('is registered once the script is sourced', async () => {
    const { stdout } = await shell(`bash -c 'source rollcall.bash; complete -p rollcall'`, cwd);
    assert.equal(stdout, 'complete -o default -F _rollcall rollcall\n');
  });
});

describe('Completion in other shells', () => {
  test('includes each command with its description, options and choices', async () => {
    const zsh = (await run(['completion', 'zsh'], { cwd })).stdout;
    const fish = (await run(['completion', 'fish'], { cwd })).stdout;
    assert.match(zsh, /^#compdef rollcall\n/);
    assert.ok(zsh.includes(`'list:list all organizations'`));
    assert.ok(
      zsh.includes(
        `' member add --role'|' member change-role --role') compadd -- owner admin member; return ;;`,
      ),
    );
    assert.ok(fish.includes(`-a list -d 'list all organizations'`));
    assert.ok(fish.includes(`-l role -x -a 'owner admin member' -d 'the role of the member'`));
  });

  test('can be printed as JSON', async () => {
    const { code, stdout } = await run(['completion', 'fish', '--json'], { cwd });
    const { script } = JSON.parse(stdout);
    assert.deepEqual(
      [code, JSON.parse(stdout), script],
      [0, { shell: 'fish', script }, (await run(['completion', 'fish'], { cwd })).stdout],
    );
  });
});
