import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { planRisk } from '#core/policy/plan-subjects.ts'
import { defineAskTool, TemplateName } from '../define-ask-tool.ts'

export const getContractTool = defineAskTool({
  name: 'get_contract',
  description: 'What a template takes (a JSON Schema), what its steps do, how risky it is, and what it needs.',
  input: z.strictObject({ template: TemplateName }),
  async run({ packs }, { template: name }) {
    const [pack = '', template = ''] = name.split('/')
    const found = packs.findTemplate(pack, template)
    if (found === undefined) throw new DomainError('not_found', `there is no template ${name}`)
    const { title, description, version, plan, inputs_schema, outputs } = found
    const steps = plan.steps.map(({ id, operator, action_type, capabilities }) => ({
      id,
      operator,
      action_type,
      capabilities,
    }))
    const connections = packs.list().find((each) => each.name === pack)?.connections ?? []
    const data = {
      template: name,
      title,
      version,
      risk: planRisk(plan),
      inputs: inputs_schema,
      outputs,
      steps,
      connections,
      ...(description !== undefined && { description }),
      action_types: plan.action_types,
    }
    return { data, rows: 1, ref: `/packs/${pack}/${template}/contract` }
  },
})

const MAX = 40

export const listPacksTool = defineAskTool({
  name: 'list_packs',
  description:
    'The templates that can be run, with what each is for; `text` finds words in name, title or description.',
  input: z.strictObject({ text: z.string().min(1).max(100).optional() }),
  async run({ packs }, { text }) {
    const words = text?.toLowerCase().split(/\s+/) ?? []
    const all = packs.list().flatMap((pack) =>
      pack.templates.map(({ template, title, description, plan }) => ({
        template: `${pack.name}/${template}`,
        title,
        ...(description !== undefined && { description }),
        risk: planRisk(plan),
        action_types: plan.action_types,
      })),
    )
    const textOf = (each: (typeof all)[number]) =>
      `${each.template} ${each.title} ${each.description ?? ''}`.toLowerCase()
    // matches of more words come first; every match of at least one is listed
    const found = all
      .map((each) => ({ each, hits: words.filter((word) => textOf(each).includes(word)).length }))
      .filter(({ hits }) => words.length === 0 || hits > 0)
      .sort((a, b) => b.hits - a.hits)
      .map(({ each }) => each)
    const templates = found.slice(0, MAX)
    return { data: { templates, total: found.length }, rows: templates.length, ref: '/packs' }
  },
})
