import type ts from '../../contracts/node_modules/typescript/lib/typescript.js';
import { type Change, changesOf, isAccess, replaced } from './changes.js';
import { compiler } from './compiler.js';

/** A way to break one line. */
export interface Mutant {
  /** The path below `core`. */
  readonly file: string;
  readonly line: number;
  /** What is changed, such as `a <= b → a < b`. */
  readonly change: string;
}

export interface Instrumented {
  /** The source with every mutant: `mutant(7)` switches on the one with this number. */
  readonly text: string;
  /** In the order of their numbers. */
  readonly mutants: readonly Mutant[];
}

/** A change, and the node that is switched between its original and its changed text. */
interface Planned extends Change {
  readonly host: ts.Node;
}

/** The name of the function that the instrumented source calls. */
export const switchName = '__mutant';

/** Plants all mutants of a TypeScript source into one text. Their numbers start with `first`. */
export function instrument(
  source: string,
  { file, first }: { readonly file: string; readonly first: number },
): Instrumented {
  const tree = compiler.createSourceFile(
    file,
    source,
    compiler.ScriptTarget.ES2023,
    true,
    compiler.ScriptKind.TS,
  );
  const planned = plan(tree);
  const numbers = new Map(planned.map((change, index) => [change, first + index]));
  const byHost = new Map<ts.Node, Planned[]>();
  for (const change of planned) byHost.set(change.host, [...(byHost.get(change.host) ?? []), change]);

  const emit = (node: ts.Node): string => {
    let text = '';
    let at = node.getStart();
    compiler.forEachChild(node, (child) => {
      if (isErased(child)) return;
      text += source.slice(at, child.getStart()) + emit(child);
      at = child.end;
    });
    text += source.slice(at, node.end);
    const switched = (byHost.get(node) ?? []).map(
      (change) => [`${switchName}(${numbers.get(change)})`, changedText(source, change)] as const,
    );
    return switched.length === 0 ? text : withSwitches(node, text, switched);
  };
  return {
    text: emit(tree),
    mutants: planned.map((change) => describe(tree, change)),
  };
}

/** The original text of a node, behind the switches of its mutants. */
function withSwitches(
  node: ts.Node,
  original: string,
  switches: readonly (readonly [on: string, text: string])[],
): string {
  const [first] = switches;
  if (compiler.isStatement(node)) {
    const guarded = `if (!${first?.[0]}) ${original}`;
    return compiler.isBlock(node.parent) || compiler.isSourceFile(node.parent) ? guarded : `{ ${guarded} }`;
  }
  if (compiler.isObjectLiteralElementLike(node)) return `...(${first?.[0]} ? {} : { ${original} })`;
  if (!compiler.isExpression(node) || compiler.isSpreadElement(node))
    return `...(${first?.[0]} ? [] : [${original}])`;
  const removal = switches.find(([, text]) => text === '');
  const others = switches.filter(([, text]) => text !== '').map(([on, text]) => `${on} ? (${text}) : `);
  const value = others.length === 0 ? original : `(${others.join('')}${original})`;
  return removal === undefined ? value : `...(${removal[0]} ? [] : [${value}])`;
}

/** The changes of all nodes, and one for each line that has none of them but decides or calls something. */
function plan(tree: ts.SourceFile): readonly Planned[] {
  const planned: Planned[] = [];
  const seen = new Set<string>();
  const add = (change: Change): void => {
    const host = hostOf(change.node);
    const key = `${host.pos} ${host.kind} ${change.start} ${change.end} ${change.text}`;
    if (seen.has(key)) return;
    seen.add(key);
    planned.push({ ...change, host });
  };
  walk(tree, (node) => changesOf(node).forEach(add));
  const lines = new Set(planned.map((change) => lineOf(tree, shownStart(change))));
  walk(tree, (node) => {
    const line = lineOf(tree, node.getStart());
    if (lines.has(line) || !isRule(node) || !canBeSwitched(node)) return;
    lines.add(line);
    add(replaced(node, 'undefined'));
  });
  return planned.sort((one, other) => one.start - other.start);
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  if (node.parent !== undefined) visit(node);
  compiler.forEachChild(node, (child) => {
    if (!isErased(child)) walk(child, visit);
  });
}

/** Whether the compiler removes the node, because it is a type, or it has nothing to break. */
function isErased(node: ts.Node): boolean {
  return (
    compiler.isTypeNode(node) ||
    compiler.isInterfaceDeclaration(node) ||
    compiler.isTypeAliasDeclaration(node) ||
    compiler.isImportDeclaration(node) ||
    compiler.isExportDeclaration(node) ||
    compiler.isTypeParameterDeclaration(node)
  );
}

/** Whether the expression does something: names, functions and the braces of objects alone do not. */
function isRule(node: ts.Node): boolean {
  return (
    compiler.isCallExpression(node) ||
    compiler.isNewExpression(node) ||
    compiler.isConditionalExpression(node) ||
    compiler.isPropertyAccessExpression(node) ||
    compiler.isElementAccessExpression(node)
  );
}

/** The node that can be switched as a whole, so that the change takes effect. */
function hostOf(node: ts.Node): ts.Node {
  return !compiler.isExpression(node) || canBeSwitched(node) ? node : hostOf(node.parent);
}

/** Whether another expression can stand in its place: it is neither assigned to nor part of a larger name or chain. */
function canBeSwitched(node: ts.Node): boolean {
  if (!compiler.isExpression(node)) return false;
  const { parent } = node;
  if (compiler.isShorthandPropertyAssignment(parent) || compiler.isExpressionWithTypeArguments(parent))
    return false;
  if (compiler.isDeleteExpression(parent) || compiler.isPostfixUnaryExpression(parent)) return false;
  if (compiler.isPrefixUnaryExpression(parent) && /^(\+\+|--)/.test(parent.getText())) return false;
  if (compiler.isBinaryExpression(parent) && parent.left === node) return !isAssignment(parent);
  if (isDeclared(node)) return false;
  const isCalled = compiler.isCallExpression(parent) && parent.expression === node;
  const isObject = isAccess(parent) && parent.expression === node;
  if (!isCalled && !isObject) return !(compiler.isNewExpression(parent) && parent.expression === node);
  if (node.kind === compiler.SyntaxKind.SuperKeyword) return false;
  if (compiler.isOptionalChain(node) && compiler.isOptionalChain(parent)) return false;
  return !(isCalled && isAccess(node));
}

function isAssignment({ operatorToken }: ts.BinaryExpression): boolean {
  return (
    operatorToken.kind >= compiler.SyntaxKind.FirstAssignment &&
    operatorToken.kind <= compiler.SyntaxKind.LastAssignment
  );
}

/** Whether the node is the name of a declaration or a property. */
function isDeclared(node: ts.Node): boolean {
  return 'name' in node.parent && node.parent.name === node;
}

function changedText(source: string, { host, start, end, text }: Planned): string {
  return source.slice(host.getStart(), start) + text + source.slice(end, host.end);
}

function describe(tree: ts.SourceFile, change: Planned): Mutant {
  const { node, start, end, text } = change;
  const line = lineOf(tree, shownStart(change));
  const original = onOneLine(tree.text.slice(node.getStart(), node.end));
  const changed = onOneLine(tree.text.slice(node.getStart(), start) + text + tree.text.slice(end, node.end));
  const from = shownFrom(original, changed);
  return {
    file: tree.fileName,
    line: line + 1,
    change:
      changed === '' ? `${cut(original, 0)} → removed` : `${cut(original, from)} → ${cut(changed, from)}`,
  };
}

/** Where the change can be seen: of a dropped operand, the operand itself. */
function shownStart({ node, start, text }: Change): number {
  if (text !== '' || !compiler.isBinaryExpression(node) || start !== node.left.end) return start;
  return node.right.getStart();
}

function lineOf(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line;
}

const MAX_SHOWN = 90;

/** Long texts are shown from shortly before the first different character. */
function shownFrom(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same < MAX_SHOWN / 2 ? 0 : same - 20;
}

function cut(text: string, from: number): string {
  const shown = text.slice(from, from + MAX_SHOWN);
  return `${from > 0 ? '…' : ''}${shown}${from + MAX_SHOWN < text.length ? '…' : ''}`;
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
