import { ConsolePolicy } from '#core/policy/console-schema.ts'
import { PolicyDocument } from '#core/policy/schema.ts'
import { updateConsolePolicy } from '#services/console-policies/update-console-policy.ts'
import { documentBody, documentText, MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'
import { POLICY_EXAMPLE } from './create-console-policy.ts'

export const updateConsolePolicyRoute = defineRoute(
  {
    operationId: 'updateConsolePolicy',
    method: 'put',
    path: '/ui/api/policies/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Put another text in the place of a policy of the console',
    description:
      'The name stays. Every process judges by the new text within about a second; what was approved before is judged again at its step.',
    request: { params: AuthoredParams, headers: IfMatch, body: documentBody(PolicyDocument, POLICY_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: { 200: { ...ok(ConsolePolicy, 'The policy'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { name } = c.req.valid('param')
    const if_match = c.req.valid('header')['if-match']
    const policy = await updateConsolePolicy(ctx, { name, if_match, document: documentText(c) })
    return c.json(policy, 200, { etag: policy.etag })
  },
)
