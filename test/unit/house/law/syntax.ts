import ts from 'typescript'

/** The expression itself, without brackets, casts, `!`, `await` and the left of a comma. */
export function bare(node: ts.Expression): ts.Expression {
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isTypeAssertionExpression(node) ||
    ts.isAwaitExpression(node)
  )
    return bare(node.expression)
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.CommaToken) return bare(node.right)
  return node
}

/** The text that an expression is, when that can be read: literals, `+`, templates and constants of the same file. */
export function constant(node: ts.Expression, checker: ts.TypeChecker, depth = 0): string | undefined {
  const of = (each: ts.Expression) => constant(each, checker, depth + 1)
  const inner = bare(node)
  if (depth > 8) return undefined
  if (ts.isStringLiteralLike(inner)) return inner.text
  if (ts.isBinaryExpression(inner) && inner.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return joined([of(inner.left), of(inner.right)])
  if (ts.isTemplateExpression(inner))
    return joined([inner.head.text, ...inner.templateSpans.flatMap((span) => [of(span.expression), span.literal.text])])
  const value = ts.isIdentifier(inner) ? initializer(inner, checker) : undefined
  return value && of(value)
}

function joined(parts: (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('')
}

/** What a name stands for; undefined where the file does not declare it. */
export function symbolOf(name: ts.Identifier, checker: ts.TypeChecker): ts.Symbol | undefined {
  const symbol = ts.isShorthandPropertyAssignment(name.parent)
    ? checker.getShorthandAssignmentValueSymbol(name.parent)
    : checker.getSymbolAtLocation(name)
  // `globalThis` and `undefined` are known to the checker and declared nowhere
  return symbol?.declarations?.length ? symbol : undefined
}

/** What a `const` of the same file was given. */
function initializer(name: ts.Identifier, checker: ts.TypeChecker): ts.Expression | undefined {
  const declared = symbolOf(name, checker)?.valueDeclaration
  return declared && ts.isVariableDeclaration(declared) ? declared.initializer : undefined
}

/** A member that is read, in whatever spelling. `object` is undefined where it stands nowhere, as in a parameter. */
export interface Member {
  object: ts.Expression | undefined
  /** the name of the object, where it is itself a member that is taken apart */
  owner?: string
  name: string
  node: ts.Node
}

/** `a.b`, `a['b']`, `const { b } = a`, `({ b } = a)`, `Reflect.get(a, 'b')`; undefined for anything else. */
export function memberAt(node: ts.Node, checker: ts.TypeChecker): Member | undefined {
  if (ts.isPropertyAccessExpression(node)) return { object: node.expression, name: node.name.text, node }
  if (ts.isElementAccessExpression(node)) {
    const name = constant(node.argumentExpression, checker)
    return name === undefined ? undefined : { object: node.expression, name, node }
  }
  if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) && !node.dotDotDotToken)
    return { ...takenApart(node.parent, checker), name: nameOf(node.propertyName ?? node.name, checker) ?? '', node }
  if ((ts.isShorthandPropertyAssignment(node) || ts.isPropertyAssignment(node)) && isTarget(node.parent))
    return { object: node.parent.parent.right, name: nameOf(node.name, checker) ?? '', node }
  if (ts.isCallExpression(node) && node.expression.getText() === 'Reflect.get') {
    const [object, key] = node.arguments
    const name = key && constant(key, checker)
    return name === undefined ? undefined : { object, name, node }
  }
  return undefined
}

function takenApart(pattern: ts.BindingPattern, checker: ts.TypeChecker): Pick<Member, 'object' | 'owner'> {
  const { parent } = pattern
  if (ts.isBindingElement(parent)) {
    const owner = nameOf(parent.propertyName ?? parent.name, checker)
    return owner === undefined ? { object: undefined } : { object: undefined, owner }
  }
  const typed = typeNamed(parent)
  return { object: parent.initializer, ...(typed === undefined ? {} : { owner: typed }) }
}

/** The last name of the type that a parameter or variable is declared with. */
function typeNamed(node: ts.VariableDeclaration | ts.ParameterDeclaration): string | undefined {
  return node.type && ts.isTypeReferenceNode(node.type) ? node.type.typeName.getText() : undefined
}

/** The left side of `({ … } = a)`. */
function isTarget(
  node: ts.Node,
): node is ts.ObjectLiteralExpression & { parent: ts.BinaryExpression & { left: ts.Expression } } {
  const { parent } = node
  return (
    ts.isObjectLiteralExpression(node) &&
    ts.isBinaryExpression(parent) &&
    parent.left === node &&
    parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  )
}

export function nameOf(name: ts.PropertyName | ts.BindingName, checker: ts.TypeChecker): string | undefined {
  if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteralLike(name)) return name.text
  return ts.isComputedPropertyName(name) ? constant(name.expression, checker) : undefined
}

/** What a thing is called at last: `engine` for `ctx.engine`, and for `e` where `const e = ctx.engine` or `e: Engine`. */
export function called(node: ts.Expression | undefined, checker: ts.TypeChecker, depth = 0): string[] {
  if (node === undefined || depth > 6) return []
  const inner = bare(node)
  const member = memberAt(inner, checker)
  if (member !== undefined) return [member.name]
  if (!ts.isIdentifier(inner)) return []
  const declared = symbolOf(inner, checker)?.valueDeclaration
  if (declared === undefined) return [inner.text]
  if (ts.isVariableDeclaration(declared) || ts.isParameter(declared)) {
    const typed = typeNamed(declared)
    return [inner.text, ...(typed === undefined ? [] : [typed]), ...called(declared.initializer, checker, depth + 1)]
  }
  if (ts.isBindingElement(declared))
    return [inner.text, ...(declared.propertyName === undefined ? [] : [declared.propertyName.getText()])]
  return [inner.text]
}

const flat = new WeakMap<ts.SourceFile, ts.Node[]>()

/** Calls `visit` for everything in the file. Every rule walks every file, so that the way is remembered. */
export function walk(file: ts.SourceFile, visit: (node: ts.Node) => void): void {
  let nodes = flat.get(file)
  if (nodes === undefined) {
    const found: ts.Node[] = []
    const collect = (node: ts.Node): void => {
      found.push(node)
      node.forEachChild(collect)
    }
    collect(file)
    flat.set(file, found)
    nodes = found
  }
  for (const node of nodes) visit(node)
}

/** A name that stands for a value where it is used, not declared, and is no member's name. */
export function isValueName(node: ts.Node): node is ts.Identifier {
  if (!ts.isIdentifier(node)) return false
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false
  // small letters name an element of the page
  if (ts.isJsxSelfClosingElement(parent) && parent.tagName === node && /^[a-z]/.test(node.text)) return false
  if (ts.isMetaProperty(parent) || ts.isBreakOrContinueStatement(parent) || ts.isLabeledStatement(parent)) return false
  if (ts.isExpressionWithTypeArguments(parent)) return isExtendedClass(parent)
  if (ts.isShorthandPropertyAssignment(parent)) return parent.name === node
  if (ts.isExportSpecifier(parent))
    return (parent.propertyName ?? parent.name) === node && parent.parent.parent.moduleSpecifier === undefined
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node
  if (ts.isBindingElement(parent)) return parent.initializer === node
  if (ts.isVariableDeclaration(parent) || ts.isParameter(parent)) return parent.initializer === node
  return ts.isExpression(parent) || ts.isStatement(parent) || ts.isTemplateSpan(parent) || isHolder(parent)
}

/** Nodes that are no expression themselves and hold one. */
function isHolder(node: ts.Node): boolean {
  return (
    ts.isCaseClause(node) ||
    ts.isComputedPropertyName(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isSpreadAssignment(node) ||
    ts.isDecorator(node) ||
    ts.isExportAssignment(node) ||
    ts.isEnumMember(node)
  )
}

function isExtendedClass(node: ts.ExpressionWithTypeArguments): boolean {
  const clause = node.parent
  return ts.isHeritageClause(clause) && clause.token === ts.SyntaxKind.ExtendsKeyword && ts.isClassLike(clause.parent)
}
