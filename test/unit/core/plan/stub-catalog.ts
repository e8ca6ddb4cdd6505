import { defineOperator, type Operator, type OperatorCatalog } from '#core/operator.ts'

const facts = {
  version: 3,
  title: 'Stub',
  risk: 'medium',
  requires_approval: false,
  parse: (input) => input,
  replay: () => 'safe',
  describe: () => ({ summary: 'nothing', targets: { kind: 'none', ids: [] } }),
  execute: async () => ({ outputs: {} }),
} satisfies Partial<Operator>

const request = defineOperator({
  ...facts,
  id: 'http.request',
  action_type: 'http.write',
  capabilities: ['http.egress'],
  input_schema: {
    type: 'object',
    required: ['method', 'url'],
    additionalProperties: false,
    properties: {
      method: { enum: ['GET', 'POST'] },
      url: { type: 'string', format: 'uri' },
      json: {},
      accept_status: { type: 'array', items: { type: 'integer' } },
    },
  },
})

const verify = defineOperator({
  ...facts,
  id: 'http.verify',
  action_type: 'read',
  capabilities: ['http.egress'],
  input_schema: { type: 'object', properties: { url: {}, until: { type: 'string' } } },
})

const report = defineOperator({
  ...facts,
  id: 'report.render',
  action_type: 'read',
  capabilities: [],
  wants_scope: true,
  input_schema: {
    type: 'object',
    required: ['title', 'body', 'scope'],
    properties: { title: {}, body: { type: 'string' } },
  },
})

const byId = new Map([request, verify, report].map((operator) => [operator.id, operator]))

/** Operators that do nothing, with input schemas to check against. */
export const stubCatalog: OperatorCatalog = { get: (id) => byId.get(id), list: () => [...byId.values()] }
