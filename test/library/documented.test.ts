import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { root } from '../support/packing.js';

describe('What @rollcall/core exports has a description, which editors show:', () => {
  for (const entry of ['index', 'rules', 'adapters', 'testing'])
    test(entry, () => {
      const report = apiReport(entry);
      assert.match(report, /^export /m);
      assert.deepEqual(undocumented(report), []);
    });

  test('a member without one is found', () => {
    const planted = ['export interface Port {', '    // (undocumented)', '    find(id: number): void;', '}'];
    assert.deepEqual(undocumented(planted.join('\n')), ['Port: find(id: number): void;']);
  });
});

/** What API Extractor says of the types that an entry exports. */
function apiReport(entry: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-api-'));
  try {
    const mainEntryPointFilePath = join(
      root,
      'core/dist',
      entry === 'testing' ? 'testing/index.d.ts' : `${entry}.d.ts`,
    );
    const compilerOptions = {
      ...{ target: 'ES2022', module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2023'], types: [] },
      ...{ strict: true, skipLibCheck: true },
    };
    const config = ExtractorConfig.prepare({
      configObjectFullPath: undefined,
      packageJsonFullPath: join(root, 'core/package.json'),
      configObject: {
        projectFolder: join(root, 'core'),
        mainEntryPointFilePath,
        compiler: { overrideTsconfig: { compilerOptions, files: [mainEntryPointFilePath] } },
        apiReport: {
          ...{ enabled: true, reportFileName: `${entry}.api.md` },
          ...{ reportFolder: folder, reportTempFolder: join(folder, 'temporary') },
        },
        newlineKind: 'lf',
        messages: {
          compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
          extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
          tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        },
      },
    });
    const { succeeded } = Extractor.invoke(config, {
      localBuild: true,
      messageCallback(message) {
        message.handled = message.logLevel !== ExtractorLogLevel.Error;
      },
    });
    if (!succeeded) throw new Error(`API Extractor cannot read the types of ${entry}.`);
    return readFileSync(join(folder, `${entry}.api.md`), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the report says has no description, each with the name of its type. */
function undocumented(report: string): readonly string[] {
  let type = '';
  return report.split('\n').flatMap((line, index, lines) => {
    type = /^export .*?\b(?:interface|type|class|const|function) (\w+)/.exec(line)?.[1] ?? type;
    return line.includes('(undocumented)') ? [`${type}: ${lines[index + 1]?.trim()}`] : [];
  });
}
