import { ConsolePolicy } from '#core/policy/console-schema.ts'
import { getConsolePolicy } from '#services/console-policies/get-console-policy.ts'
import { documentAnswer, wantsYaml } from '../../authored-body.ts'
import { defineRoute } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const getConsolePolicyRoute = defineRoute(
  {
    operationId: 'getConsolePolicy',
    method: 'get',
    path: '/ui/api/policies/{name}',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    summary: 'Read a policy of the console, or with `Accept: text/yaml` its text alone',
    request: { params: AuthoredParams },
    responses: { 200: { ...documentAnswer(ConsolePolicy, 'The policy'), headers: ETAG } },
  },
  async (c) => {
    const policy = await getConsolePolicy({ ...c.get('ctx'), ...c.get('deps').authoring }, c.req.valid('param').name)
    const { document, etag } = policy
    if (wantsYaml(c)) return c.body(document, 200, { etag, 'content-type': 'text/yaml; charset=utf-8' })
    return c.json(policy, 200, { etag })
  },
)
