import { receivers } from '#adapters/express/pages/docs/receivers.js';
import { curl, freePort, start, temporaryDirectory } from '../support/app-cli.js';
import { checkReceiver, isInstalled, readGuide, runCommands, runtimes } from '../support/guide-examples.js';
import { printLine } from '../support/soak-program.js';

/** Runs every example of the guide with its real interpreter. Fails if an interpreter is missing. */
const directory = temporaryDirectory();
const missing = await missingPrograms();
try {
  for (const line of missing) printLine(`MISSING  ${line}`);
  await runEveryCommand();
  for (const receiver of receivers('Rollcall')) {
    if (!(await isInstalled(receiver.language))) continue;
    await checkReceiver(receiver, directory.path);
    printLine(`run      the receiver in ${receiver.language}`);
  }
} finally {
  directory.remove();
}
if (missing.length > 0) process.exitCode = 1;

async function missingPrograms(): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [language, { debianPackage }] of Object.entries(runtimes)) {
    if (!(await isInstalled(language as keyof typeof runtimes)))
      lines.push(`${language}: its examples cannot be run; apt-get install ${debianPackage}`);
  }
  if (curl !== 'curl') lines.push('curl: the commands cannot be run; apt-get install curl');
  return lines;
}

async function runEveryCommand(): Promise<void> {
  if (curl !== 'curl') return;
  const port = await freePort();
  const demo = start(['demo'], { cwd: directory.path, env: { PORT: String(port) } });
  try {
    await demo.see(/\n/);
    const outputs = await runCommands(await readGuide(`http://localhost:${port}`), directory.path);
    printLine(`run      ${Object.keys(outputs).length} commands`);
  } finally {
    await demo.stop('SIGKILL');
  }
}
