import { isObject, type Json, type JsonObject } from '#core/json/json.ts'
import { commandName } from './command-name.ts'
import type { SqlName, SqlStatement } from './statement.ts'

/** More than anyone writes, and less than the stack allows. */
const MAX_DEPTH = 1_500

/** Fields whose value is a node without its type's name around it. */
const TYPE_OF_FIELD = new Map(
  Object.entries({
    funccall: 'FuncCall',
    intoClause: 'IntoClause',
    larg: 'SelectStmt',
    rarg: 'SelectStmt',
    relation: 'RangeVar',
    sequence: 'RangeVar',
    typeName: 'TypeName',
    view: 'RangeVar',
    viewrel: 'RangeVar',
  }),
)

/** Functions of JSON that are syntax since PostgreSQL 16, and ordinary names before. */
const JSON_FUNCTIONS = new Map(
  Object.entries({
    JsonArrayAgg: ['json_arrayagg'],
    JsonArrayConstructor: ['json_array'],
    JsonArrayQueryConstructor: ['json_array'],
    JsonFuncExpr: ['json_exists', 'json_query', 'json_value'],
    JsonObjectAgg: ['json_objectagg'],
    JsonObjectConstructor: ['json_object'],
    JsonParseExpr: ['json'],
    JsonScalarExpr: ['json_scalar'],
    JsonSerializeExpr: ['json_serialize'],
    JsonTable: ['json_table'],
    MergeSupportFunc: ['merge_action'],
  }),
)

/** Syntax whose arguments the server casts to these types implicitly. */
const CAST_TO = new Map(
  Object.entries({
    JsonFuncExpr: ['jsonpath', 'text'],
    JsonParseExpr: ['text'],
    RangeTableFunc: ['text', 'xml'],
    XmlExpr: ['text', 'xml'],
    XmlSerialize: ['text', 'xml'],
  }),
)

/** Kinds of objects whose names are relations', and those whose last part belongs to the relation before it. */
const RELATION_KINDS = /^OBJECT_(TABLE|VIEW|MATVIEW|INDEX|SEQUENCE|FOREIGN_TABLE)$/
const PART_KINDS = /^OBJECT_(TRIGGER|POLICY|RULE)$/

/** Names that a `WITH` gives to queries, as far as they reach. */
type Scope = ReadonlySet<string>
type Found = Omit<SqlStatement, 'command' | 'root'>

/** Reads the tree of one statement. Throws RangeError where it is nested too deeply. */
export function readStatement(tree: JsonObject): SqlStatement {
  const [root, node] = wrapped(tree) ?? ['', {}]
  const found: Found = {
    nodes: new Set(),
    relations: [],
    anyRelations: [],
    functions: [],
    operators: [],
    types: [],
    attributes: [],
  }
  visit(root, node, new Set(), found, 0)
  return {
    command: commandName(root, node),
    root,
    ...found,
    relations: distinct(found.relations),
    anyRelations: distinct(found.anyRelations),
  }
}

function visit(type: string, node: JsonObject, outer: Scope, found: Found, depth: number): void {
  if (depth > MAX_DEPTH) throw new RangeError('the statement is nested too deeply')
  found.nodes.add(type)
  note(type, node, outer, found)
  const scope = withQueries(node['withClause'], outer, found, depth)
  for (const [field, value] of Object.entries(node)) {
    if (field === 'withClause') continue
    // the target of a write is never a query of a WITH
    const inner = field === 'relation' && type !== 'RangeTableSample' ? new Set<string>() : scope
    visitField(field, value, inner, found, depth + 1)
  }
}

function visitField(field: string, value: Json | undefined, scope: Scope, found: Found, depth: number): void {
  if (Array.isArray(value)) for (const each of value) visitField('', each, scope, found, depth)
  else if (isObject(value)) {
    const [type, node] = wrapped(value) ?? [TYPE_OF_FIELD.get(field) ?? '', value]
    visit(type, node, scope, found, depth)
  }
}

/** Reads the queries of a `WITH`: each sees those before it, a recursive one all of them. Returns the names that the statement sees. */
function withQueries(clause: Json | undefined, outer: Scope, found: Found, depth: number): Scope {
  if (!isObject(clause)) return outer
  const scope = new Set(outer)
  const queries = listOf(clause['ctes']).map((each) => wrapped(each)?.[1] ?? {})
  if (clause['recursive'] === true) for (const query of queries) scope.add(String(query['ctename']))
  for (const query of queries) {
    visit('CommonTableExpr', query, new Set(scope), found, depth + 1)
    scope.add(String(query['ctename']))
  }
  return scope
}

function note(type: string, node: JsonObject, scope: Scope, found: Found): void {
  for (const name of JSON_FUNCTIONS.get(type) ?? []) found.functions.push({ schema: undefined, name })
  for (const name of CAST_TO.get(type) ?? []) found.types.push({ schema: 'pg_catalog', name })
  switch (type) {
    case 'RangeVar': {
      const relation = { schema: textOf(node['schemaname']), name: String(node['relname']) }
      found.anyRelations.push(relation)
      if (relation.schema !== undefined || !scope.has(relation.name)) found.relations.push(relation)
      return
    }
    case 'FuncCall':
      found.functions.push(...nameOf(node['funcname']))
      return
    case 'TypeName':
      found.types.push(...nameOf(node['names']))
      return
    case 'A_Expr':
      found.operators.push(...nameOf(node['name']))
      return
    case 'SubLink':
      found.operators.push(...nameOf(node['operName']))
      return
    case 'SortBy':
      found.operators.push(...nameOf(node['useOp']))
      return
    case 'ColumnRef':
      found.attributes.push(...strings(listOf(node['fields']).slice(1)))
      return
    case 'A_Indirection':
      found.attributes.push(...strings(listOf(node['indirection'])))
      return
    case 'DropStmt':
      found.relations.push(...inObjects(node['removeType'], listOf(node['objects'])))
      return
    case 'CommentStmt':
      found.relations.push(...inObjects(node['objtype'], [node['object'] ?? null]))
  }
}

function inObjects(kind: Json | undefined, objects: Json[]): SqlName[] {
  const part = PART_KINDS.test(String(kind))
  if (!part && !RELATION_KINDS.test(String(kind))) return []
  return objects.flatMap((object) => {
    const items = listOf(wrapped(object)?.[1]['items'])
    return nameOf(part ? items.slice(0, -1) : items)
  })
}

/** `database.schema.name`, of which the database can only be the session's own. */
function nameOf(value: Json | undefined): SqlName[] {
  const parts = strings(listOf(value))
  const name = parts.at(-1)
  return name === undefined ? [] : [{ schema: parts.at(-2), name }]
}

function strings(values: Json[]): string[] {
  return values.flatMap((each) => {
    const [type, node] = wrapped(each) ?? ['', {}]
    return type === 'String' && typeof node['sval'] === 'string' ? [node['sval']] : []
  })
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** `{Type: node}`; types begin with a capital letter, fields do not. */
function wrapped(value: Json | undefined): [type: string, node: JsonObject] | undefined {
  const [entry] = isObject(value) ? Object.entries(value) : []
  if (entry === undefined || !/^[A-Z]/.test(entry[0])) return undefined
  return [entry[0], isObject(entry[1]) ? entry[1] : {}]
}

function distinct(names: SqlName[]): SqlName[] {
  return [...new Map(names.map((each) => [JSON.stringify([each.schema, each.name]), each])).values()]
}
