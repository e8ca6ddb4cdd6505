import { isGranted } from '#core/environment-grants.ts'
import { DomainError } from '#core/errors.ts'
import type { ConsoleRule } from '#core/trigger/console-schema.ts'
import type { AuthoredRow } from '#store/authored.ts'
import { digestOf, problemsOf } from '../authored-document.ts'
import type { RulePortsContext } from './rule-ports.ts'

/** A rule of the console as people see it. */
export function toRuleRecord(ctx: RulePortsContext, row: AuthoredRow): ConsoleRule {
  const { name, document, author, updated_at } = row
  const { rule, faults } = ctx.rule_ports.lint(document, { author, environments: usable(ctx) })
  const digest = digestOf(ctx, document)
  return {
    name,
    workspace_id: ctx.workspace_id,
    ...(rule !== undefined && { on: rule.on, run: rule.run }),
    ...(rule?.description !== undefined && { description: rule.description }),
    ...(rule?.environment !== undefined && { environment: rule.environment }),
    ...(rule?.profile !== undefined && { profile: rule.profile }),
    ...{ document, author, updated_at, digest },
    problems: problemsOf(faults),
    etag: `"${digest}"`,
  }
}

/** Environments that runs of the caller's workspace may use; of others it is not told that they are there. */
export function usable({
  environments,
  workspace_slug,
}: Pick<RulePortsContext, 'environments' | 'workspace_slug'>): string[] {
  return environments
    .list()
    .filter((each) => isGranted(each, workspace_slug))
    .map(({ name }) => name)
}

/** A rule of the caller's workspace as it is stored. */
export async function findRule(ctx: RulePortsContext, name: string): Promise<{ row: AuthoredRow; etag: string }> {
  const row = await ctx.rule_ports.store.find(ctx.workspace_id, name)
  if (row === undefined) throw new DomainError('not_found', 'there is no such rule')
  return { row, etag: `"${digestOf(ctx, row.document)}"` }
}
