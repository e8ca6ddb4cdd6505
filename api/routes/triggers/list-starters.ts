import { Starters } from '#core/trigger/starters-schema.ts'
import { listStarters } from '#services/triggers/list-starters.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const listStartersRoute = defineRoute(
  {
    operationId: 'listStarters',
    method: 'get',
    path: '/triggers/starters',
    tags: ['triggers'],
    access: 'read',
    auth: 'user',
    summary: 'List what starts runs when something arrives: rules of all layers, and signed ingress',
    description:
      'Rules stand in the order in which they are tried; the first that fits starts its template. Those that name an environment which the workspace may not use are left out, as are broken ones. Of ingress only the scheme is told, and nothing of its secrets.',
    responses: { 200: ok(Starters, 'Rules and ingress') },
  },
  async (c) => c.json(await listStarters(c.get('ctx')), 200),
)
