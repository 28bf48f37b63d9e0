import { type Command, Option } from 'commander';
import { command } from './options.js';

export function addServeCommands(program: Command): void {
  command(program, 'serve', 'run the HTTP server and the webhook sender', {
    options: [
      new Option('--no-migrate', 'refuse to start when migrations are pending, instead of applying them'),
    ],
    json: 'write the log as JSON lines, on a terminal too',
    examples: [
      'rollcall serve',
      'PORT=8080 PUBLIC_URL=https://rollcall.example.com rollcall serve --no-migrate',
    ],
  }).action(async (options) => {
    const { setServiceFlags, setStartFlags } = await import('../v8-flags.js');
    setStartFlags();
    await (await import('../cli/serve.js')).serveCommand(options);
    setServiceFlags();
  });

  command(program, 'demo', 'serve sample data and a webhook receiver, on this machine only', {
    options: [new Option('--fresh', 'delete the data, changes and keys of earlier demos first')],
    json: 'print one JSON line instead of the list',
    details: `
The demo keeps its data in data/demo.db, whatever DATABASE_URL says, and
continues where the last one stopped. To start over, use --fresh or delete data/demo.db*.
To run other commands on the demo's data, set DATABASE_URL=sqlite:data/demo.db.
Of the environment variables, the demo reads PORT only.
`,
    examples: ['rollcall demo', 'PORT=4000 rollcall demo', 'rollcall demo --fresh'],
  }).action(async (options) => (await import('../cli/demo.js')).demoCommand(options));
}

/** Added last, after the commands that do something. */
export function addConfigurationCommand(program: Command): void {
  command(program, 'configuration', 'list the environment variables with their defaults', {
    examples: ['rollcall configuration', 'rollcall configuration --json'],
  }).action(async (options) => (await import('../cli/configuration.js')).configurationCommand(options));
}
