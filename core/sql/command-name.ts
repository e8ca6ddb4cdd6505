import type { JsonObject } from '#core/json/json.ts'
import { isConcurrent } from './lock-modes.ts'

/** Commands whose names differ from their nodes'. */
const NAMES: Record<string, string> = {
  AlterTableStmt: 'ALTER TABLE',
  CreateStmt: 'CREATE TABLE',
  CreateTableAsStmt: 'CREATE TABLE AS',
  CreateTrigStmt: 'CREATE TRIGGER',
  CreateFunctionStmt: 'CREATE FUNCTION',
  CommentStmt: 'COMMENT',
  DoStmt: 'DO',
  IndexStmt: 'CREATE INDEX',
  RefreshMatViewStmt: 'REFRESH MATERIALIZED VIEW',
  RenameStmt: 'RENAME',
  RuleStmt: 'CREATE RULE',
  VariableShowStmt: 'SHOW',
  ViewStmt: 'CREATE VIEW',
}

/** Returns the usual name of a statement, from the root of its tree. */
export function commandName(root: string, node: JsonObject): string {
  return isConcurrent(node) ? `${plainName(root, node)} CONCURRENTLY` : plainName(root, node)
}

function plainName(root: string, node: JsonObject): string {
  if (root === 'VacuumStmt') return node['is_vacuumcmd'] === true ? 'VACUUM' : 'ANALYZE'
  if (root === 'DropStmt') return `DROP ${words(node['removeType'], /^OBJECT_/)}`
  if (root === 'TransactionStmt') return words(node['kind'], /^TRANS_STMT_/)
  if (root === 'VariableSetStmt') return String(node['kind']).startsWith('VAR_RESET') ? 'RESET' : 'SET'
  if (root === 'GrantStmt' || root === 'GrantRoleStmt') return node['is_grant'] === true ? 'GRANT' : 'REVOKE'
  return NAMES[root] ?? words(root.replace(/Stmt$/, '').replace(/(?<=[a-z])(?=[A-Z])/g, '_'))
}

function words(value: unknown, prefix = /^/): string {
  return String(value).replace(prefix, '').replaceAll('_', ' ').toUpperCase()
}
