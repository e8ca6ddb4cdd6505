import { EnvironmentDraft, EnvironmentRecord } from '#core/environment-console-schema.ts'
import { environmentKind } from '#services/settings/environment-kind.ts'
import { updateSetting } from '#services/settings/update-setting.ts'
import { documentBody, documentText, MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'
import { ENVIRONMENT_EXAMPLE } from './create-environment.ts'

export const updateEnvironmentRoute = defineRoute(
  {
    operationId: 'updateEnvironment',
    method: 'put',
    path: '/ui/api/environments/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Say in the console what an environment is, over its file',
    description:
      'What is absent stays as its file says, or as it is shipped. Connections and egress stand in files alone. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    request: { params: AuthoredParams, headers: IfMatch, body: documentBody(EnvironmentDraft, ENVIRONMENT_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: { 200: { ...ok(EnvironmentRecord, 'The environment, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { name } = c.req.valid('param')
    const if_match = c.req.valid('header')['if-match']
    const changed = await updateSetting(ctx, environmentKind(ctx), { name, if_match, document: documentText(c) })
    return c.json(changed, 200, { etag: changed.etag })
  },
)
