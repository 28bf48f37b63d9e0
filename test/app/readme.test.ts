import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { rollcall, run, shell, temporaryDirectory } from '../support/app-cli.js';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const [, section = ''] = readme.split('\n## Run it\n');
const [steps = ''] = section.split('<!-- configuration');
const blocks = [...steps.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);

test('The README has fewer than 150 lines', () => {
  assert.ok(readme.trimEnd().split('\n').length < 150);
});

describe('The steps of the README to run the service', () => {
  const directory = temporaryDirectory();
  after(() => directory.remove());

  test('no command that reads the terminal, or runs on, is followed by another in its block', () => {
    assert.ok(
      blocks.some((block) => block.includes('set-password')) &&
        blocks.some((block) => block.includes('serve')),
    );
    for (const block of blocks) {
      const lines = block.trim().split('\n');
      const blocking = lines.findIndex((line) => /set-password|rollcall serve/.test(line));
      assert.ok(blocking === -1 || lines.length === 1, block);
    }
  });

  test('lead from nothing to an owner who can sign in, and an access key, without a dataset', async () => {
    const cwd = directory.path;
    const script = blocks
      .filter((block) => !/set-password|rollcall serve/.test(block))
      .join('')
      .replace(/^npm ci.*$/m, '')
      .replace(/^export (PUBLIC_URL|TRUST_PROXY)=.*$/gm, '')
      .replace('$(openssl rand -hex 32)', '0'.repeat(64))
      .replaceAll('npx rollcall', `'${process.execPath}' '${rollcall}'`);
    const { code, stdout, stderr } = await shell(`set -e\n${script}`, cwd);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^\d{24}$/m);
    const env = { SECRET_KEY: '0'.repeat(64) };
    const command = blocks.find((block) => block.includes('set-password')) ?? '';
    const args = command.trim().split(' ').slice(2);
    const { stderr: answer, ...password } = await run(args, { cwd, env, input: 'a long password\n' });
    assert.equal(password.code, 0, answer);
    const listed = await run(['organization', 'list', '--json'], { cwd, env });
    const { organizations } = JSON.parse(listed.stdout);
    assert.deepEqual(
      organizations.map(({ name, access_key }: Record<string, unknown>) => [name, access_key]),
      [['Northwind Wellness', true]],
    );
    const members = await run(['member', 'list', '--organization', String(organizations[0].id), '--json'], {
      cwd,
      env,
    });
    assert.match(members.stdout, /"dana@example\.com"/);
    assert.match(members.stdout, /"owner"/);
  });
});
