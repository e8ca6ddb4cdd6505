import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { defineAskTool } from '../define-ask-tool.ts'
import { TemplateName } from '../tool-inputs.ts'

export const getContractTool = defineAskTool({
  name: 'get_contract',
  description: 'What a template takes (a JSON Schema), what its steps do, how risky it is, and what it needs.',
  input: z.strictObject({ template: TemplateName }),
  async run({ packs }, { template: name }) {
    const [pack = '', template = ''] = name.split('/')
    const found = packs.findTemplate(pack, template)
    if (found === undefined) throw new DomainError('not_found', `there is no template ${name}`)
    const { title, description, risk, version, plan, inputs_schema, outputs } = found
    const steps = plan.steps.map(({ id, operator, action_type, capabilities }) => ({ id, operator, action_type, capabilities }))
    const connections = packs.list().find((each) => each.name === pack)?.connections ?? []
    const data = {
      ...{ template: name, title, version, risk, inputs: inputs_schema, outputs, steps, connections },
      ...(description !== undefined && { description }),
      action_types: plan.action_types,
    }
    return { data, rows: 1, ref: `/packs/${pack}/${template}/contract` }
  },
})
