import { AttachList, EnvironmentRecord } from '#core/environment-console-schema.ts'
import { attachPolicies } from '#services/settings/attach-policies.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const attachPoliciesRoute = defineRoute(
  {
    operationId: 'attachPolicies',
    method: 'put',
    path: '/ui/api/environments/{name}/policies',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Attach policies of the console to an environment: these, and no others',
    description:
      'Each must be there in some workspace; in a workspace that has none of that name the gate is on. What else the console says about the environment stays as it is. Takes an owner or admin of all workspaces.',
    request: { params: AuthoredParams, headers: IfMatch, body: json(AttachList) },
    responses: { 200: { ...ok(EnvironmentRecord, 'The environment, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { policies } = c.req.valid('json')
    const if_match = c.req.valid('header')['if-match']
    const changed = await attachPolicies(ctx, { name: c.req.valid('param').name, if_match, policies })
    return c.json(changed, 200, { etag: changed.etag })
  },
)
