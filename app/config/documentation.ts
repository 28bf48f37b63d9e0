import { fileVariableOf } from './secret-files.js';
import { isSecret, type Variable, type VariableName, variableNames, variables } from './variables.js';

/** A Markdown table of all variables, or of the essential ones. */
export function configurationTable({ isShort }: { readonly isShort: boolean }): string {
  const names = variableNames.filter((name) => !isShort || variableOf(name).isEssential === true);
  const head = isShort ? ['Variable', 'Default', 'Meaning'] : fullHead;
  const rows = names.map((name) => (isShort ? shortCells(name) : fullCells(name)));
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}

const fullHead = ['Variable', 'Default', 'Meaning', 'Must be', 'Example', 'Used by'];

/** All variables as plain text, for a terminal. */
export function configurationText(): string {
  return variableNames
    .map((name) => {
      const { allowed, example, meaning, usedBy } = variableOf(name);
      return [
        name,
        `  ${withoutCode(meaning)}`,
        `  must be: ${withoutCode(allowed)}`,
        `  default: ${withoutCode(defaultOf(name))}`,
        `  example: ${withoutCode(example)}`,
        `  used by: ${usedBy}`,
        ...(isSecret(name) ? [`  or from a file: ${fileVariableOf(name)}`] : []),
      ].join('\n');
    })
    .join('\n\n');
}

/** All variables as data, for `--json`. */
export function configurationData() {
  return variableNames.map((name) => {
    const { schema, allowed, example, meaning, usedBy, isSecret: secret = false } = variableOf(name);
    const { default: fallback = null, ...type } = schema;
    return {
      name,
      ...type,
      default: fallback,
      must_be: allowed,
      example,
      meaning,
      used_by: usedBy,
      secret,
      ...(secret && { file_variable: fileVariableOf(name) }),
    };
  });
}

function variableOf(name: VariableName): Variable {
  return variables[name];
}

function defaultOf(name: VariableName): string {
  const { schema, unset = 'none' } = variableOf(name);
  return schema.default === undefined ? unset : `\`${schema.default}\``;
}

function shortCells(name: VariableName): readonly string[] {
  return [`\`${name}\``, defaultOf(name), variableOf(name).meaning];
}

function fullCells(name: VariableName): readonly string[] {
  const { allowed, example, meaning, usedBy } = variableOf(name);
  return [`\`${name}\``, defaultOf(name), meaning, escaped(allowed), escaped(example), usedBy];
}

/** Angle brackets would be HTML in Markdown. */
function escaped(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll('`', '');
}
