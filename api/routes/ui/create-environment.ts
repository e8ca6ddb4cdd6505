import { EnvironmentDraft, EnvironmentRecord } from '#core/environment-console-schema.ts'
import { createSetting } from '#services/settings/create-setting.ts'
import { environmentKind } from '#services/settings/environment-kind.ts'
import { documentBody, documentText, MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute } from '../../define-route.ts'
import { LOCATION } from '../../schemas/authored.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const ENVIRONMENT_EXAMPLE = `name: canary
class: staging
policies: [night-guard]
cost_gate: { max_usd: 0.5 }
approval: { min_approvals: 2, prevent_self: true }
`

export const createEnvironmentRoute = defineRoute(
  {
    operationId: 'createEnvironment',
    method: 'post',
    path: '/ui/api/environments',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Make an environment that stands in the console alone',
    description:
      'What is absent stays as its file says, or as it is shipped. Connections and egress stand in files alone. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    request: { body: documentBody(EnvironmentDraft, ENVIRONMENT_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: {
      201: {
        description: 'The environment, as it is in force',
        headers: { ...ETAG, ...LOCATION },
        content: { 'application/json': { schema: EnvironmentRecord } },
      },
    },
    problems: ['conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const made = await createSetting(ctx, environmentKind(ctx), documentText(c))
    return c.json(made, 201, { location: `/ui/api/environments/${made.name}`, etag: made.etag })
  },
)
