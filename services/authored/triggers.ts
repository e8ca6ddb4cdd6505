import { isGranted } from '#core/environment/environment.ts'
import type { FileFault } from '#core/file-fault.ts'
import type { ConsoleRule } from '#core/trigger/console-schema.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { AuthoredRow, AuthoredStore } from '#store/authored/authored.ts'
import { authorOf, digestOf, mustBeNamed, problemsOf, refuseFaults } from '../authored-document.ts'
import type { ServiceContext } from '../context.ts'
import { authoredTexts, type TextDraft } from './authored-texts.ts'
import { defineAuthored } from './define-authored.ts'

/** The dependencies of authoring rules. */
export interface RulePorts {
  store: AuthoredStore
  /** the rule if it is valid, and every report that `svc check` would make; `environments` are those that its runs may use */
  lint(
    text: string,
    origin: { author: string; environments: string[] },
  ): { rule?: TriggerRule | undefined; faults: FileFault[] }
}

type RulePortsContext = ServiceContext & { rule_ports: RulePorts }

const texts = authoredTexts<RulePortsContext>({
  kind: 'rule',
  called: 'a rule',
  many: 'rules',
  audit: {
    created: { action: 'rule.created' },
    updated: { action: 'rule.updated' },
    deleted: { action: 'rule.deleted' },
  },
  store: (ctx) => ctx.rule_ports.store,
  owner: (ctx) => ctx.workspace_id,
  subject: (ctx, name) => `console/${ctx.workspace_id}/rules/${name}`,
  changed: (ctx) => ctx.console_rules.invalidate(ctx.workspace_id),
})

/** Rules of the caller's workspace, in the order in which they are tried: before those of files and packs. */
export const triggers = defineAuthored({
  needs: { role: 'admin', access: 'write', scope: 'workspace' },
  list: (ctx: RulePortsContext) => texts.list(ctx),
  find: texts.find,
  record: (ctx, { row }) => toRuleRecord(ctx, row),
  lint: (ctx, document: string) => checkRule(ctx, document),
  lintEdit: (ctx, document: string, { row }) => checkRule(ctx, document, row.name),
  loosened: async () => undefined,
  save: (ctx, before, after) => texts.save(ctx, before, after),
  remove: (ctx, { row }) => texts.remove(ctx, row),
  made: ({ data }) => ({ key: String(data['name']) }),
})

/**
 * Throws `validation_failed` for every fault of a rule, and for names that do not exist: a rule that cannot start anything would precede
 * those that can, and its alerts would be lost.
 */
function checkRule(ctx: RulePortsContext, document: string, stored?: string): TextDraft {
  const { rule, faults } = ctx.rule_ports.lint(document, { author: authorOf(ctx), environments: usable(ctx) })
  refuseFaults(faults)
  if (rule === undefined) throw new Error('a rule that is not sound has no fault')
  mustBeNamed('rule', rule.name, stored)
  return { name: rule.name, document }
}

/** A rule of the console as people see it. */
function toRuleRecord(ctx: RulePortsContext, row: AuthoredRow): ConsoleRule {
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
    document,
    author,
    updated_at,
    digest,
    problems: problemsOf(faults),
    etag: `"${digest}"`,
  }
}

/** Returns the environments that runs of the caller's workspace may use; others are not revealed. */
function usable({ environments, workspace_slug }: Pick<RulePortsContext, 'environments' | 'workspace_slug'>): string[] {
  return environments
    .list()
    .filter((each) => isGranted(each, workspace_slug))
    .map(({ name }) => name)
}
