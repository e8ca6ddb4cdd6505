import { ConsoleRule } from '#core/trigger/console-schema.ts'
import { RuleSpec } from '#core/trigger/rule-schema.ts'
import { triggers } from '#services/authored/triggers.ts'
import { authoredRoutes, documentDraft } from '../../authored-routes.ts'
import { AuthoredParams } from '../../schemas/params.ts'

const RULE_EXAMPLE = `name: checkout-down
on: alert
match: { service: checkout, severity: [critical] }
run: sre/service-recovery
inputs: { url: "http://checkout.internal:8080", service: "\${{ alert.service }}" }
`

export const consoleTriggerRoutes = authoredRoutes({
  verbs: triggers,
  names: ['ConsoleTrigger', 'ConsoleTriggers'],
  path: '/ui/api/triggers',
  params: AuthoredParams,
  key: 'name',
  tags: ['authoring'],
  record: ConsoleRule,
  as_text: ({ document }) => document,
  draft: documentDraft(RuleSpec, RULE_EXAMPLE),
  edit: { method: 'put', ...documentDraft(RuleSpec, RULE_EXAMPLE) },
  list: {
    summary: 'List the rules that were authored in the console, in the order in which they are tried',
    description: 'All of the workspace; there are at most 200.',
    answer: 'The rules',
  },
  create: {
    summary: 'Author a rule',
    description:
      'One entry of a rule file. Rules of the console are tried first, in the order of their names, then those of the files of the deployment, then those of packs; the first that fits starts its template. It is checked as `svc check` checks files, with all that it names. Every process follows within about a second.',
    answer: 'The rule',
    problems: ['conflict'],
  },
  get: {
    summary: 'Read a rule of the console, or with `Accept: text/yaml` its text alone',
    answer: 'The rule',
  },
  update: {
    summary: 'Put another text in the place of a rule of the console',
    description: 'The name stays. Every process follows within about a second.',
    answer: 'The rule',
    problems: ['version_conflict', 'conflict'],
  },
  delete: {
    summary: 'Delete a rule of the console',
    answer: 'It was deleted',
    problems: ['version_conflict', 'conflict'],
  },
})
