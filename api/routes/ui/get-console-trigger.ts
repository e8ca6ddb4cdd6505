import { ConsoleRule } from '#core/trigger/console-schema.ts'
import { getConsoleTrigger } from '#services/console-rules/get-console-trigger.ts'
import { documentAnswer, wantsYaml } from '../../authored-body.ts'
import { defineRoute } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const getConsoleTriggerRoute = defineRoute(
  {
    operationId: 'getConsoleTrigger',
    method: 'get',
    path: '/ui/api/triggers/{name}',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    summary: 'Read a rule of the console, or with `Accept: text/yaml` its text alone',
    request: { params: AuthoredParams },
    responses: { 200: { ...documentAnswer(ConsoleRule, 'The rule'), headers: ETAG } },
  },
  async (c) => {
    const rule = await getConsoleTrigger({ ...c.get('ctx'), ...c.get('deps').authoring }, c.req.valid('param').name)
    const { document, etag } = rule
    if (wantsYaml(c)) return c.body(document, 200, { etag, 'content-type': 'text/yaml; charset=utf-8' })
    return c.json(rule, 200, { etag })
  },
)
