import type { Json, JsonObject } from '#core/json/json.ts'
import type { SqlStatement } from './statement.ts'

/** Nodes of a query that writes and locks nothing; any other node is no read. */
const READING = new Set(
  `SelectStmt ResTarget RangeVar RangeSubselect RangeFunction RangeTableFunc RangeTableFuncCol RangeTableSample JoinExpr CommonTableExpr CTESearchClause
   CTECycleClause WindowDef SortBy GroupingSet GroupingFunc ColumnRef ColumnDef ParamRef A_Const A_Expr A_Star A_Indices A_Indirection A_ArrayExpr
   BoolExpr NullTest BooleanTest CaseExpr CaseWhen CoalesceExpr MinMaxExpr RowExpr SubLink FuncCall NamedArgExpr TypeCast TypeName CollateClause
   SQLValueFunction XmlExpr XmlSerialize List String Integer Float Boolean BitString Alias
   JsonAggConstructor JsonArgument JsonArrayAgg JsonArrayConstructor JsonArrayQueryConstructor JsonFormat JsonFuncExpr JsonIsPredicate JsonKeyValue JsonObjectAgg
   JsonObjectConstructor JsonOutput JsonParseExpr JsonReturning JsonScalarExpr JsonSerializeExpr JsonTable JsonTableColumn JsonTablePathSpec JsonValueExpr
   JsonBehavior DefElem`.split(/\s+/),
)

/** Nodes that EXPLAIN shows besides queries, and their parts. */
const EXPLAINED = new Set(
  `ExplainStmt InsertStmt UpdateStmt DeleteStmt MergeStmt MergeWhenClause MergeSupportFunc OnConflictClause InferClause IndexElem MultiAssignRef SetToDefault
   ReturningClause ReturningOption`.split(/\s+/),
)

/** Descriptions of nodes for messages. */
const DESCRIPTIONS: Record<string, string> = {
  InsertStmt: 'INSERT',
  UpdateStmt: 'UPDATE',
  DeleteStmt: 'DELETE',
  MergeStmt: 'MERGE',
  LockingClause: 'a row lock (FOR UPDATE, FOR SHARE)',
  IntoClause: 'SELECT INTO',
}

/** Returns the part of a statement's grammar that makes it no read; undefined when it is one. */
export function whyNoRead({ root, command, nodes }: SqlStatement, tree: JsonObject): string | undefined {
  if (root === 'VariableShowStmt') return undefined
  if (root !== 'SelectStmt' && root !== 'ExplainStmt') return command
  if (root === 'ExplainStmt' && executes(tree)) return 'EXPLAIN ANALYZE'
  // a field without a type of its own is named by the node that it belongs to
  const written = [...nodes].find(
    (type) => type !== '' && !READING.has(type) && !(root === 'ExplainStmt' && EXPLAINED.has(type)),
  )
  return written === undefined ? undefined : (DESCRIPTIONS[written] ?? written)
}

/** EXPLAIN with ANALYZE runs its statement, unless ANALYZE is off. */
function executes(tree: JsonObject): boolean {
  const options = at(tree, 'ExplainStmt', 'options')
  if (!Array.isArray(options)) return false
  return options.some((option) => {
    if (String(at(option, 'DefElem', 'defname')).toLowerCase() !== 'analyze') return false
    const value = at(option, 'DefElem', 'arg')
    const denied =
      ['false', 'off'].includes(String(at(value, 'String', 'sval'))) || JSON.stringify(value) === '{"Integer":{}}'
    return !denied
  })
}

function at(value: Json | undefined, ...path: string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (inner, key) => (typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner[key] : undefined),
    value,
  )
}
