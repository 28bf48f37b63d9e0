import { Argument, type Command } from 'commander';
import { command } from './options.js';

export function addCompletionCommand(program: Command): void {
  command(program, 'completion', 'print a shell script that completes commands and options', {
    examples: [
      'rollcall completion bash > ~/.local/share/bash-completion/completions/rollcall',
      `rollcall completion zsh > "\${fpath[1]}/_rollcall"`,
      'rollcall completion fish > ~/.config/fish/completions/rollcall.fish',
      'source <(rollcall completion bash)    # for this shell only',
    ],
  })
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(['bash', 'zsh', 'fish']))
    .action(async (shell, options) =>
      (await import('../cli/completion.js')).completionCommand({ shell, program, ...options }),
    );
}
