import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { root } from '../support/packed-core.js';

/**
 * `core/api` has a report of the API of `@rollcall/core` by API Extractor, one file for each entry point. A test
 * compares them, so that reviewers see each change of the API. To accept a change, write the reports again: `npm run
 * build:test && node test/dist/library/api-report.js`.
 */
export const entryPoints = ['index', 'rules', 'adapters', 'testing'] as const;
export type EntryPoint = (typeof entryPoints)[number];

export function reportFile(entry: EntryPoint): string {
  return join(root, 'core', 'api', `${entry}.api.md`);
}

export function apiReport(entry: EntryPoint): string {
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const entry of entryPoints) writeFileSync(reportFile(entry), apiReport(entry));
}
