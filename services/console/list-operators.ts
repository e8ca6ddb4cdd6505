import type { JsonObject } from '#core/json/json.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { Risk } from '#core/policy/types.ts'

/** The static facts about a kind of work. */
interface OperatorFacts {
  id: string
  version: number
  title: string
  risk: Risk
  action_type: string
  capabilities: string[]
  requires_approval: boolean
  input_schema: JsonObject
  simulates: boolean
}

/** The facts of every operator of the deployment, by id. */
export async function listOperators(ctx: { operators: Pick<OperatorCatalog, 'list'> }): Promise<OperatorFacts[]> {
  const facts = ctx.operators.list().map((operator): OperatorFacts => {
    const { id, version, title, risk, action_type, capabilities, requires_approval, input_schema } = operator
    const simulates = operator.simulate !== undefined
    return { id, version, title, risk, action_type, capabilities, requires_approval, input_schema, simulates }
  })
  return facts.sort((a, b) => (a.id < b.id ? -1 : 1))
}
