import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createCore } from '@rollcall/core';
import { memoryPorts } from '@rollcall/core/testing';

const core = new URL('../../../core/', import.meta.url);
const paths = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter(
  (path) => !/^(dist|commonjs|testing)\//.test(path),
);
const sourceOf = (path: string): string => readFileSync(new URL(path, core), 'utf8');
const links = { invitation: () => '', login: () => '', defaultAvatar: '' };
const useCases = Object.keys(createCore(memoryPorts().ports, { links }));

const [, codeUnion = ''] = /type RefusalCode =(.+?);\n\n/s.exec(sourceOf('errors.ts')) ?? [];
const refusalCodes = codesIn(codeUnion, /'([\w-]+)'/g);

interface UseCase {
  readonly file: string;
  /** The comment above the function. */
  readonly text: string;
}

function useCase(name: string): UseCase {
  const file = `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
  const path = paths.find((one) => one.endsWith(`/${file}`)) ?? 'none';
  const source = sourceOf(path);
  return {
    file: source,
    text: commentBefore(source, `export async function ${name}(`),
  };
}

/** The text of the comment that ends just before the declaration, on one line. */
function commentBefore(source: string, declaration: string): string {
  const before = source.slice(0, source.indexOf(declaration));
  const comment = before.slice(before.lastIndexOf('/**') + 3);
  assert.match(comment, /\*\/\s*$/, `no comment before ${declaration}`);
  return comment
    .replace(/\*\/\s*$/, '')
    .replace(/\s+(?:\* ?)?/g, ' ')
    .trim();
}

function throwsOf(text: string): string {
  return /@throws .*/.exec(text)?.[0] ?? '';
}

function codesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, code = '']) => code);
}

function documentedCodes(text: string): readonly string[] {
  return codesIn(throwsOf(text), /`([a-z]+(?:-[a-z]+)+)`/g);
}

describe('The descriptions of the use-cases', () => {
  for (const name of useCases) {
    test(`${name} names the refusals of its file`, () => {
      const { file, text } = useCase(name);
      const documented = documentedCodes(text);
      assert.deepEqual(
        documented.filter((code) => !refusalCodes.includes(code)),
        [],
      );
      assert.deepEqual(
        codesIn(file, /(?:new Refusal|\brefusal)\(\s*'([\w-]+)'/g).filter(
          (code) => !documented.includes(code),
        ),
        [],
      );
    });
  }

  test('each refusal is named by a use-case', () => {
    const documented = useCases.flatMap((name) => documentedCodes(useCase(name).text));
    assert.deepEqual(
      refusalCodes.filter((code) => !documented.includes(code)),
      [],
    );
  });
});
