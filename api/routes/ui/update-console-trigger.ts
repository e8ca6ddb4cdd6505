import { ConsoleRule } from '#core/trigger/console-schema.ts'
import { RuleSpec } from '#core/trigger/rule-schema.ts'
import { updateConsoleTrigger } from '#services/console-rules/update-console-trigger.ts'
import { documentBody, documentText, MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'
import { RULE_EXAMPLE } from './create-console-trigger.ts'

export const updateConsoleTriggerRoute = defineRoute(
  {
    operationId: 'updateConsoleTrigger',
    method: 'put',
    path: '/ui/api/triggers/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Put another text in the place of a rule of the console',
    description: 'The name stays. Every process follows within about a second.',
    request: { params: AuthoredParams, headers: IfMatch, body: documentBody(RuleSpec, RULE_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: { 200: { ...ok(ConsoleRule, 'The rule'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { name } = c.req.valid('param')
    const if_match = c.req.valid('header')['if-match']
    const rule = await updateConsoleTrigger(ctx, { name, if_match, document: documentText(c) })
    return c.json(rule, 200, { etag: rule.etag })
  },
)
