import { Graph } from '#core/plan/preflight-schema.ts'
import { getGraph } from '#services/packs/get-graph.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { PlaceQuery, TemplateParams } from '../../schemas/params.ts'

export const getGraphRoute = defineRoute(
  {
    operationId: 'getGraph',
    method: 'get',
    path: '/packs/{pack}/{tpl}/graph',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    summary: 'The steps of a template as a graph',
    description: 'As Mermaid text and as nodes and edges, with the gates that are to be expected in the environment.',
    request: { params: TemplateParams, query: PlaceQuery },
    responses: { 200: ok(Graph, 'The graph') },
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    return c.json(await getGraph(c.get('ctx'), { pack, template: tpl, ...c.req.valid('query') }), 200)
  },
)
