import { ModelRolesEdit, ModelRolesRecord } from '#core/models/roles-record-schema.ts'
import { putModelRoles } from '#services/models/put-model-roles.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const putModelRolesRoute = defineRoute(
  {
    operationId: 'putModelRoles',
    method: 'put',
    path: '/ui/api/model-roles',
    tags: ['models'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Say in the console which models the roles are, over `models.yaml`',
    description:
      'A role that is left out falls back to `models.yaml`; profiles still decide for their runs. Every model must be in `models.yaml`. Takes an owner or admin of all workspaces. Every process follows within about a second.',
    request: { headers: IfMatch, body: json(ModelRolesEdit) },
    responses: { 200: { ...ok(ModelRolesRecord, 'The roles, as they are in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').models }
    const if_match = c.req.valid('header')['if-match']
    const changed = await putModelRoles(ctx, { ...c.req.valid('json'), if_match })
    return c.json(changed, 200, { etag: changed.etag })
  },
)
