import { PolicyAnswer, PolicyQuestion } from '#core/policy/view-schema.ts'
import { simulatePolicies } from '#services/policies/simulate-policies.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

export const simulatePoliciesRoute = defineRoute(
  {
    operationId: 'simulatePolicies',
    method: 'post',
    path: '/console/api/policies/simulate',
    tags: ['policies'],
    access: 'read',
    auth: 'user',
    summary: 'Ask what the policies would say',
    description:
      'Of a subject, or of a template: the whole plan and each of its steps, by all four authorities, before inputs are rendered. Freezes and halts are left out: they pass. Nothing is started or written.',
    request: { body: json(PolicyQuestion) },
    responses: { 200: ok(PolicyAnswer, 'The verdict, with the policies that led to it') },
  },
  async (c) => c.json(await simulatePolicies(c.get('ctx'), c.req.valid('json')), 200),
)
