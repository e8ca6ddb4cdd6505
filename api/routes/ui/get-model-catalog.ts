import { ModelCatalog } from '#core/models/registry-schema.ts'
import { getModelCatalog } from '#services/models/get-model-catalog.ts'
import { defineRoute, ok } from '../../define-route.ts'

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
