import { EnvironmentRecord, KnowledgeList } from '#core/environment-console-schema.ts'
import { attachKnowledge } from '#services/settings/attach-knowledge.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const attachKnowledgeRoute = defineRoute(
  {
    operationId: 'attachKnowledge',
    method: 'put',
    path: '/ui/api/environments/{name}/knowledge',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Attach corpora to an environment: these, and no others',
    description:
      'Each must exist in some workspace; a workspace searches its own corpora of these names. What else the console says about the environment stays as it is. Takes an owner or admin of all workspaces.',
    request: { params: AuthoredParams, headers: IfMatch, body: json(KnowledgeList) },
    responses: { 200: { ...ok(EnvironmentRecord, 'The environment, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { knowledge } = c.req.valid('json')
    const if_match = c.req.valid('header')['if-match']
    const changed = await attachKnowledge(ctx, { name: c.req.valid('param').name, if_match, knowledge })
    return c.json(changed, 200, { etag: changed.etag })
  },
)
