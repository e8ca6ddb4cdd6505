import { ModelCatalog } from '#core/models/registry-schema.ts'
import { ModelRolesEdit, ModelRolesRecord } from '#core/models/roles-record-schema.ts'
import { getModelCatalog } from '#services/models/list-registered-models.ts'
import { getModelRoles, putModelRoles } from '#services/models/put-model-roles.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { ETAG, IfMatch } from '../../schemas/params.ts'

export const putModelRolesRoute = defineRoute(
  {
    operationId: 'putModelRoles',
    method: 'put',
    path: '/ui/api/model-roles',
    tags: ['models'],
    verb: putModelRoles,
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

export const getModelRolesRoute = defineRoute(
  {
    operationId: 'getModelRoles',
    method: 'get',
    path: '/ui/api/model-roles',
    tags: ['models'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Read the bindings of model roles, and their layers',
    description: 'Those of the deployment. A profile that binds a role decides for its runs.',
    responses: { 200: { ...ok(ModelRolesRecord, 'The roles'), headers: ETAG } },
  },
  async (c) => {
    const found = await getModelRoles({ ...c.get('ctx'), ...c.get('deps').models })
    return c.json(found, 200, { etag: found.etag })
  },
)

export const getModelCatalogRoute = defineRoute(
  {
    operationId: 'getModelCatalog',
    method: 'get',
    path: '/ui/api/model-catalog',
    tags: ['models'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List models that are known, with prices and limits, to add one of',
    description:
      'A file that ships with the release, and says when its prices were read. Providers change them: check a price before you rely on a cap.',
    responses: { 200: ok(ModelCatalog, 'The catalogue') },
  },
  (c) => c.json(getModelCatalog(c.get('deps').models), 200),
)
