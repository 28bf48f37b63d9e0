import type ts from '../../contracts/node_modules/typescript/lib/typescript.js';
import { compiler } from './compiler.js';
import { regexChanges } from './regex-changes.js';

/** Replaces a part of the source. */
export interface Change {
  /** The node that the change belongs to: an expression, a statement, or an element of an object or array. */
  readonly node: ts.Node;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The changes that break a node. Where tests that notice one change always notice another as well, only the first is
 * made. For example, nothing is negated, because conditions become both `true` and `false`.
 */
export function changesOf(node: ts.Node): readonly Change[] {
  return rules.flatMap((rule) => rule(node));
}

const rules: readonly ((node: ts.Node) => readonly Change[])[] = [
  decisions,
  logicalOperators,
  comparisons,
  arithmetic,
  literals,
  removedCalls,
  removedStatements,
  removedAwait,
  removedOptionalChaining,
  removedElements,
  returnedValues,
  skippedLoops,
];

/** Replaces a whole expression. */
export function replaced(node: ts.Node, text: string): Change {
  return { node, start: node.getStart(), end: node.end, text };
}

/** Conditions, and other expressions that decide something, are always true or always false. */
function decisions(node: ts.Node): readonly Change[] {
  if (!isDecision(node) || isKeyword(node)) return [];
  return [replaced(node, 'true'), replaced(node, 'false')];
}

/** Drops one operand. */
function logicalOperators(node: ts.Node): readonly Change[] {
  if (!compiler.isBinaryExpression(node)) return [];
  const { left, right, operatorToken } = node;
  if (!isLogical(operatorToken.kind)) return [];
  return [
    { node, start: left.end, end: right.end, text: '' },
    { node, start: left.getStart(), end: right.getStart(), text: '' },
  ];
}

const boundaries: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [compiler.SyntaxKind.LessThanToken]: '<=',
  [compiler.SyntaxKind.LessThanEqualsToken]: '<',
  [compiler.SyntaxKind.GreaterThanToken]: '>=',
  [compiler.SyntaxKind.GreaterThanEqualsToken]: '>',
};

const calculations: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [compiler.SyntaxKind.PlusToken]: '-',
  [compiler.SyntaxKind.MinusToken]: '+',
  [compiler.SyntaxKind.AsteriskToken]: '/',
  [compiler.SyntaxKind.SlashToken]: '*',
  [compiler.SyntaxKind.PercentToken]: '*',
  [compiler.SyntaxKind.AsteriskAsteriskToken]: '*',
  [compiler.SyntaxKind.AmpersandToken]: '|',
  [compiler.SyntaxKind.BarToken]: '&',
  [compiler.SyntaxKind.CaretToken]: '&',
  [compiler.SyntaxKind.LessThanLessThanToken]: '>>',
  [compiler.SyntaxKind.GreaterThanGreaterThanToken]: '<<',
  [compiler.SyntaxKind.GreaterThanGreaterThanGreaterThanToken]: '<<',
};

/** Moves the boundary of a comparison by one, and makes equality true and false where it is a value. */
function comparisons(node: ts.Node): readonly Change[] {
  return operatorChange(node, boundaries);
}

function arithmetic(node: ts.Node): readonly Change[] {
  if (compiler.isPrefixUnaryExpression(node) && node.operator === compiler.SyntaxKind.MinusToken)
    return isConstant(node) ? [] : [replaced(node, node.operand.getText())];
  if (!compiler.isBinaryExpression(node) || isConstant(node) || isText(node)) return [];
  return operatorChange(node, calculations);
}

function operatorChange(
  node: ts.Node,
  texts: Readonly<Partial<Record<ts.SyntaxKind, string>>>,
): readonly Change[] {
  if (!compiler.isBinaryExpression(node)) return [];
  const { operatorToken } = node;
  const text = texts[operatorToken.kind];
  if (text === undefined) return [];
  return [{ node, start: operatorToken.getStart(), end: operatorToken.end, text }];
}

function literals(node: ts.Node): readonly Change[] {
  if (isName(node) || isElementOfArray(node) || compiler.isTaggedTemplateExpression(node.parent)) return [];
  if (isConstant(node)) return isConstant(node.parent) ? [] : [replaced(node, `${node.getText()} + 1`)];
  if (node.kind === compiler.SyntaxKind.TrueKeyword) return [replaced(node, 'false')];
  if (node.kind === compiler.SyntaxKind.FalseKeyword) return [replaced(node, 'true')];
  if (compiler.isRegularExpressionLiteral(node))
    return regexChanges(node.text).map((text) => replaced(node, text));
  if (compiler.isTemplateExpression(node)) return [replaced(node, "''")];
  if (!compiler.isStringLiteralLike(node) || isEquality(node.parent)) return [];
  return [replaced(node, node.text === '' ? "'changed'" : "''")];
}

/** Calls that return something like their object, which is returned instead. */
const sameKindMethods = new Set([
  ...[
    'catch',
    'concat',
    'filter',
    'flat',
    'normalize',
    'padEnd',
    'padStart',
    'replace',
    'replaceAll',
    'reverse',
  ],
  ...[
    'slice',
    'sort',
    'toLowerCase',
    'toReversed',
    'toSorted',
    'toUpperCase',
    'trim',
    'trimEnd',
    'trimStart',
  ],
]);
const otherMethods: Readonly<Record<string, string>> = {
  ceil: 'floor',
  endsWith: 'startsWith',
  every: 'some',
  floor: 'ceil',
  max: 'min',
  min: 'max',
  some: 'every',
  startsWith: 'endsWith',
};

function removedCalls(node: ts.Node): readonly Change[] {
  if (!compiler.isCallExpression(node) || !compiler.isPropertyAccessExpression(node.expression)) return [];
  const { name, expression } = node.expression;
  const other = Object.hasOwn(otherMethods, name.text) ? otherMethods[name.text] : undefined;
  if (other !== undefined) return [{ node, start: name.getStart(), end: name.end, text: other }];
  return sameKindMethods.has(name.text) ? [{ node, start: expression.end, end: node.end, text: '' }] : [];
}

function removedStatements(node: ts.Node): readonly Change[] {
  const isRemovable =
    (compiler.isExpressionStatement(node) && !isSuperCall(node.expression)) ||
    compiler.isThrowStatement(node) ||
    compiler.isBreakOrContinueStatement(node) ||
    (compiler.isReturnStatement(node) && node.expression === undefined);
  return isRemovable ? [replaced(node, '')] : [];
}

function removedAwait(node: ts.Node): readonly Change[] {
  return compiler.isAwaitExpression(node) ? [replaced(node, node.expression.getText())] : [];
}

function removedOptionalChaining(node: ts.Node): readonly Change[] {
  if (!isAccess(node) && !compiler.isCallExpression(node)) return [];
  const token = node.questionDotToken;
  if (token === undefined) return [];
  const text = compiler.isPropertyAccessExpression(node) ? '.' : '';
  return [{ node, start: token.getStart(), end: token.end, text }];
}

/** Elements of objects and arrays. A literal in an object is changed instead. */
function removedElements(node: ts.Node): readonly Change[] {
  if (isElementOfArray(node)) return [replaced(node, '')];
  if (!compiler.isObjectLiteralExpression(node.parent) || compiler.isAccessor(node)) return [];
  if (compiler.isPropertyAssignment(node) && literals(node.initializer).length > 0) return [];
  return [replaced(node, '')];
}

/** Returns nothing. What is returned by a decision, a literal or an operator is changed by the other rules. */
function returnedValues(node: ts.Node): readonly Change[] {
  const { parent } = node;
  const isReturned =
    (compiler.isReturnStatement(parent) && parent.expression === node) ||
    (compiler.isArrowFunction(parent) && parent.body === node);
  if (!isReturned || isDecision(node)) return [];
  const isChanged =
    compiler.isCallExpression(node) ||
    compiler.isNewExpression(node) ||
    compiler.isAwaitExpression(node) ||
    compiler.isPropertyAccessExpression(node) ||
    node.kind === compiler.SyntaxKind.NullKeyword ||
    (compiler.isIdentifier(node) && node.text !== 'undefined');
  return isChanged ? [replaced(node, 'undefined')] : [];
}

function skippedLoops(node: ts.Node): readonly Change[] {
  const { parent } = node;
  const isIterated = compiler.isForOfStatement(parent) && parent.expression === node;
  return isIterated ? [replaced(node, '[]')] : [];
}

/** Whether the expression alone decides something: it is no operand of a larger condition. */
function isDecision(node: ts.Node): boolean {
  if (!compiler.isExpression(node) || compiler.isParenthesizedExpression(node) || isOperand(node))
    return false;
  return isCondition(node) || isBoolean(node);
}

function isCondition(node: ts.Node): boolean {
  const parent = outsideParentheses(node);
  return (
    ((compiler.isIfStatement(parent) ||
      compiler.isWhileStatement(parent) ||
      compiler.isDoStatement(parent)) &&
      contains(parent.expression, node)) ||
    ((compiler.isConditionalExpression(parent) || compiler.isForStatement(parent)) &&
      parent.condition !== undefined &&
      contains(parent.condition, node))
  );
}

function isOperand(node: ts.Node): boolean {
  const parent = outsideParentheses(node);
  if (compiler.isPrefixUnaryExpression(parent))
    return parent.operator === compiler.SyntaxKind.ExclamationToken;
  if (!compiler.isBinaryExpression(parent)) return false;
  const { kind } = parent.operatorToken;
  return kind === compiler.SyntaxKind.AmpersandAmpersandToken || kind === compiler.SyntaxKind.BarBarToken;
}

const deciding = new Set([
  compiler.SyntaxKind.EqualsEqualsEqualsToken,
  compiler.SyntaxKind.ExclamationEqualsEqualsToken,
  compiler.SyntaxKind.EqualsEqualsToken,
  compiler.SyntaxKind.ExclamationEqualsToken,
  compiler.SyntaxKind.LessThanToken,
  compiler.SyntaxKind.LessThanEqualsToken,
  compiler.SyntaxKind.GreaterThanToken,
  compiler.SyntaxKind.GreaterThanEqualsToken,
  compiler.SyntaxKind.InstanceOfKeyword,
  compiler.SyntaxKind.InKeyword,
]);

/** Whether the expression can only be true or false, as far as its own text tells. */
function isBoolean(node: ts.Node): boolean {
  if (compiler.isParenthesizedExpression(node)) return isBoolean(node.expression);
  if (compiler.isPrefixUnaryExpression(node)) return node.operator === compiler.SyntaxKind.ExclamationToken;
  if (compiler.isCallExpression(node)) return isPredicate(node.expression);
  if (!compiler.isBinaryExpression(node)) return false;
  if (isLogical(node.operatorToken.kind)) return isBoolean(node.left) && isBoolean(node.right);
  return deciding.has(node.operatorToken.kind);
}

/** Whether the name of the called function says that it returns a boolean. */
function isPredicate(called: ts.Expression): boolean {
  const name = compiler.isPropertyAccessExpression(called) ? called.name.text : called.getText();
  return /^(is[A-Z]\w*|has|includes|test|some|every|startsWith|endsWith|hasOwn)$/.test(name);
}

function isLogical(kind: ts.SyntaxKind): boolean {
  return (
    kind === compiler.SyntaxKind.AmpersandAmpersandToken ||
    kind === compiler.SyntaxKind.BarBarToken ||
    kind === compiler.SyntaxKind.QuestionQuestionToken
  );
}

function isEquality(node: ts.Node): boolean {
  return compiler.isBinaryExpression(node) && /^[!=]==?$/.test(node.operatorToken.getText());
}

/** A number, or a calculation with numbers such as `24 * 60 * 60 * 1000`. */
function isConstant(node: ts.Node): boolean {
  if (compiler.isNumericLiteral(node)) return true;
  if (compiler.isPrefixUnaryExpression(node)) return isConstant(node.operand);
  if (!compiler.isBinaryExpression(node)) return false;
  return node.operatorToken.kind in calculations && isConstant(node.left) && isConstant(node.right);
}

/** Whether `+` joins texts here. */
function isText(node: ts.Node): boolean {
  if (compiler.isStringLiteralLike(node) || compiler.isTemplateExpression(node)) return true;
  return compiler.isBinaryExpression(node) && (isText(node.left) || isText(node.right));
}

function isKeyword(node: ts.Node): boolean {
  return node.kind === compiler.SyntaxKind.TrueKeyword || node.kind === compiler.SyntaxKind.FalseKeyword;
}

/** Whether the literal names something: a property, a module. */
function isName(node: ts.Node): boolean {
  const { parent } = node;
  return (
    (compiler.isPropertyAssignment(parent) && parent.name === node) ||
    (compiler.isPropertyDeclaration(parent) && parent.name === node) ||
    (compiler.isMethodDeclaration(parent) && parent.name === node) ||
    (compiler.isBindingElement(parent) && parent.propertyName === node) ||
    compiler.isImportDeclaration(parent) ||
    compiler.isExportDeclaration(parent)
  );
}

function isElementOfArray(node: ts.Node): boolean {
  return compiler.isArrayLiteralExpression(node.parent) && !compiler.isOmittedExpression(node);
}

function isSuperCall(node: ts.Node): boolean {
  return compiler.isCallExpression(node) && node.expression.kind === compiler.SyntaxKind.SuperKeyword;
}

function outsideParentheses(node: ts.Node): ts.Node {
  return compiler.isParenthesizedExpression(node.parent) ? outsideParentheses(node.parent) : node.parent;
}

function contains(outer: ts.Node, inner: ts.Node): boolean {
  return outer === inner || (compiler.isParenthesizedExpression(outer) && contains(outer.expression, inner));
}

/** Whether the expression is a member of an object, such as `limits.consume` or `parts[0]`. */
export function isAccess(node: ts.Node): node is ts.PropertyAccessExpression | ts.ElementAccessExpression {
  return compiler.isPropertyAccessExpression(node) || compiler.isElementAccessExpression(node);
}
