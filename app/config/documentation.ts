import { fileVariableOf } from './secret-files.js';
import { type SettingName, settingNames, settingOf, variableOf } from './settings.js';

/** A Markdown table of all variables, or of the essential ones. */
export function configurationTable({ isShort }: { readonly isShort: boolean }): string {
  const names = settingNames.filter((name) => !isShort || settingOf(name).isEssential === true);
  const head = isShort ? ['Variable', 'Default', 'Meaning'] : fullHead;
  const rows = names.map((name) => (isShort ? shortCells(name) : fullCells(name)));
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}

const fullHead = ['Variable', 'Default', 'Meaning', 'Must be'];

/** All variables as plain text, for a terminal. */
export function configurationText(): string {
  return settingNames
    .map((name) => {
      const { allowed, example, meaning, usedBy = 'serve', isSecret } = settingOf(name);
      return [
        variableOf(name),
        `  ${withoutCode(meaning)}`,
        `  must be: ${withoutCode(allowed)}`,
        `  default: ${withoutCode(defaultOf(name))}`,
        `  example: ${withoutCode(example)}`,
        `  used by: ${usedBy}`,
        ...(isSecret ? [`  or from a file: ${fileVariableOf(variableOf(name))}`] : []),
      ].join('\n');
    })
    .join('\n\n');
}

/** All variables as data, for `--json`. */
export function configurationData() {
  return settingNames.map((name) => {
    const { schema = { type: 'string' }, isSecret: secret = false, ...setting } = settingOf(name);
    const { default: fallback = null, allowed, example, meaning, usedBy = 'serve' } = setting;
    return {
      name: variableOf(name),
      ...schema,
      default: fallback,
      must_be: allowed,
      example,
      meaning,
      used_by: usedBy,
      secret,
      ...(secret && { file_variable: fileVariableOf(variableOf(name)) }),
    };
  });
}

function defaultOf(name: SettingName): string {
  const { default: fallback, unset = 'none' } = settingOf(name);
  return fallback === undefined ? unset : `\`${fallback}\``;
}

function shortCells(name: SettingName): readonly string[] {
  return [`\`${variableOf(name)}\``, defaultOf(name), settingOf(name).meaning];
}

function fullCells(name: SettingName): readonly string[] {
  return [...shortCells(name), escaped(settingOf(name).allowed)];
}

/** Angle brackets would be HTML in Markdown. */
function escaped(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll('`', '');
}
