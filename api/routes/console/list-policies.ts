import { z } from '@hono/zod-openapi'
import { PolicyListed } from '#core/policy/view-schema.ts'
import { listPolicies } from '#services/policies/list-policies.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { defined } from '../../defined.ts'

export const listPoliciesRoute = defineRoute(
  {
    operationId: 'listPolicies',
    method: 'get',
    path: '/console/api/policies',
    tags: ['policies'],
    access: 'read',
    auth: 'user',
    summary: 'List the policies of all layers',
    description:
      'Those of packs, of files and of the console, with where each counts in the environments of the workspace, what took its place, and what is wrong with broken ones.',
    responses: { 200: ok(z.array(PolicyListed), 'All policies, by name') },
  },
  async (c) => c.json((await listPolicies(c.get('ctx'))).map(defined), 200),
)
