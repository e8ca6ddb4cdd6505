import { ConsolePolicy, DeletedPolicy } from '#core/policy/console-schema.ts'
import { PolicyDocument } from '#core/policy/schema.ts'
import { policies } from '#services/authored/policies.ts'
import { authoredRoutes, documentDraft } from '../../authored-routes.ts'
import { AuthoredParams } from '../../schemas/params.ts'

const POLICY_EXAMPLE = `name: night-guard
applies_to: { environments: [production], action_types: [service.restart] }
rules:
  - { effect: require_hitl, approval_role: dba, reason: Nobody restarts at night alone. }
`

export const consolePolicyRoutes = authoredRoutes({
  verbs: policies,
  names: ['ConsolePolicy', 'ConsolePolicies'],
  path: '/ui/api/policies',
  params: AuthoredParams,
  key: 'name',
  tags: ['authoring'],
  record: ConsolePolicy,
  as_text: ({ document }) => document,
  draft: documentDraft(PolicyDocument, POLICY_EXAMPLE),
  edit: { method: 'put', ...documentDraft(PolicyDocument, POLICY_EXAMPLE) },
  left: DeletedPolicy,
  list: {
    summary: 'List the policies that were authored in the console, by name',
    description: 'All of the workspace; there are at most 200.',
    answer: 'The policies',
  },
  create: {
    summary: 'Author a policy',
    description:
      'It has an effect where an environment attaches it by name (`PUT /ui/api/environments/{name}/policies`). It is checked as `svc check` checks files: what is wrong is refused with line, column and the name that was likely meant. `loosens` says whether something may be laxer with it than without, taken as attached.',
    answer: 'The policy',
    problems: ['conflict'],
  },
  get: {
    summary: 'Read a policy of the console, or with `Accept: text/yaml` its text alone',
    answer: 'The policy',
  },
  update: {
    summary: 'Put another text in the place of a policy of the console',
    description:
      'The name stays. Every process judges by the new text within about a second; what was approved before is judged again at its step.',
    answer: 'The policy',
    problems: ['version_conflict', 'conflict'],
  },
  delete: {
    summary: 'Delete a policy of the console',
    description: 'In an environment that attaches it still, the gate is on until it is detached or there again.',
    answer: 'What it leaves behind',
    problems: ['version_conflict', 'conflict'],
  },
})
