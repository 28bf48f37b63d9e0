import { Command, Option, type ParseOptionsResult } from 'commander';

/**
 * A command that does not take one of its own options for the value of another: `--name --json` lacks a name. Written with
 * `=`, any value is taken.
 */
export class StrictCommand extends Command {
  override createCommand(name?: string): Command {
    return new StrictCommand(name);
  }

  override parseOptions(args: string[]): ParseOptionsResult {
    for (let index = 0; index < args.length && args[index] !== '--'; index += 1) {
      const option = this.options.find((one) => isFlag(one, args[index]));
      if (option?.required !== true) continue;
      index += 1;
      const value = args[index] ?? '';
      if (this.#isOption(value)) this.#refuse(option, value);
    }
    return super.parseOptions(args);
  }

  #isOption(text: string): boolean {
    const name = /^--[^=]+/.exec(text)?.[0] ?? text;
    const isNamed = [...this.options, help].some((one) => isFlag(one, name) || isShortWithValue(one, text));
    return isNamed || text === '--';
  }

  #refuse(option: Option, value: string): never {
    const { flags } = option;
    const name = option.long ?? option.short;
    return this.error(
      `error: option '${flags}' argument missing: ${value} is an option; if it is the value, write ${name}=${value}`,
      { code: 'commander.optionMissingArgument' },
    );
  }
}

const help = new Option('-h, --help');

/** `-odata.json` is `-o data.json`. */
function isShortWithValue({ short, required }: Option, text: string): boolean {
  return short !== undefined && short !== null && required && text.startsWith(short);
}

function isFlag({ long, short }: Option, text: string | undefined): boolean {
  return text !== undefined && (text === long || text === short);
}
