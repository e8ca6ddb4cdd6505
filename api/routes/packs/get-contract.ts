import { Contract } from '#core/plan/preflight-schema.ts'
import { getContract } from '#services/packs/get-contract.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { PlaceQuery, TemplateParams } from '../../schemas/params.ts'

export const getContractRoute = defineRoute(
  {
    operationId: 'getContract',
    method: 'get',
    path: '/packs/{pack}/{tpl}/contract',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    summary: 'What a template takes, does, needs and may ask',
    description:
      'All that a form needs. Gates and integrations are those of the environment that is named, or of the workspace’s default.',
    request: { params: TemplateParams, query: PlaceQuery },
    responses: { 200: ok(Contract, 'The contract') },
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    return c.json(await getContract(ctx, { pack, template: tpl, ...c.req.valid('query') }), 200)
  },
)
