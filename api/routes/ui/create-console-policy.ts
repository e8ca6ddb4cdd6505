import { ConsolePolicy } from '#core/policy/console-schema.ts'
import { PolicyDocument } from '#core/policy/schema.ts'
import { createConsolePolicy } from '#services/console-policies/create-console-policy.ts'
import { documentBody, documentText, MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute } from '../../define-route.ts'
import { LOCATION } from '../../schemas/authored.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const POLICY_EXAMPLE = `name: night-guard
applies_to: { environments: [production], action_types: [service.restart] }
rules:
  - { effect: require_hitl, approval_role: dba, reason: Nobody restarts at night alone. }
`

export const createConsolePolicyRoute = defineRoute(
  {
    operationId: 'createConsolePolicy',
    method: 'post',
    path: '/ui/api/policies',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Author a policy',
    description:
      'It has an effect where an environment attaches it by name (`PUT /ui/api/environments/{name}/policies`). It is checked as `svc check` checks files: what is wrong is refused with line, column and the name that was likely meant. `loosens` says whether something may be laxer with it than without, taken as attached.',
    request: { body: documentBody(PolicyDocument, POLICY_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: {
      201: {
        description: 'The policy',
        headers: { ...ETAG, ...LOCATION },
        content: { 'application/json': { schema: ConsolePolicy } },
      },
    },
    problems: ['conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const policy = await createConsolePolicy(ctx, documentText(c))
    return c.json(policy, 201, { location: `/ui/api/policies/${policy.name}`, etag: policy.etag })
  },
)
