import { ModelRolesRecord } from '#core/models/roles-record-schema.ts'
import { getModelRoles } from '#services/models/get-model-roles.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const getModelRolesRoute = defineRoute(
  {
    operationId: 'getModelRoles',
    method: 'get',
    path: '/ui/api/model-roles',
    tags: ['models'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Read which models the roles are, and where that is said',
    description: 'Those of the deployment. A profile that binds a role decides for its runs.',
    responses: { 200: { ...ok(ModelRolesRecord, 'The roles'), headers: ETAG } },
  },
  async (c) => {
    const found = await getModelRoles({ ...c.get('ctx'), ...c.get('deps').models })
    return c.json(found, 200, { etag: found.etag })
  },
)
