/** A name as it is written; without a schema it is looked for along the session's search path. */
export interface SqlName {
  schema: string | undefined
  name: string
}

/** What the grammar tells about one statement, without a server. */
export interface SqlStatement {
  /** as people call it: `SELECT`, `ALTER TABLE` */
  command: string
  /** type of the root node, for example `DeleteStmt` */
  root: string
  /** types of all nodes of the tree */
  nodes: Set<string>
  /** tables, views and indexes that it names, for people's eyes */
  relations: SqlName[]
  /** every name that could be a relation's, also those that a `WITH` hides */
  anyRelations: SqlName[]
  functions: SqlName[]
  operators: SqlName[]
  types: SqlName[]
  /** names after a dot: a column, or a function that is called in a column's notation */
  attributes: string[]
}
