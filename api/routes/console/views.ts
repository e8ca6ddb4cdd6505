import { z } from '@hono/zod-openapi'
import { SavedView, ViewName } from '#core/view/schema.ts'
import { deleteView, listViews, saveView } from '#services/views/views.ts'
import type { ApiContext } from '../../context.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

const contextOf = (c: ApiContext) => ({ ...c.get('ctx'), views: c.get('deps').authoring.views })

export const listViewsRoute = defineRoute(
  {
    operationId: 'listViews',
    method: 'get',
    path: '/console/api/views',
    tags: ['presets'],
    access: 'read',
    auth: 'user',
    summary: 'List your saved views of a list',
    description: 'Views are those of the caller in the addressed workspace, by name; nobody else sees them.',
    request: { query: ViewName.pick({ page: true }) },
    responses: { 200: ok(z.array(SavedView), 'Your views') },
  },
  async (c) => c.json(await listViews(contextOf(c), c.req.valid('query').page), 200),
)

export const saveViewRoute = defineRoute(
  {
    operationId: 'saveView',
    method: 'put',
    path: '/console/api/views',
    tags: ['presets'],
    verb: saveView,
    summary: 'Save the filters of a list under a name',
    description: 'A view of that name is replaced. A person keeps at most 50 in a workspace.',
    request: { body: json(SavedView) },
    responses: { 200: ok(SavedView, 'The view, as it is kept') },
    problems: ['conflict'],
  },
  async (c) => c.json(await saveView(contextOf(c), c.req.valid('json')), 200),
)

export const deleteViewRoute = defineRoute(
  {
    operationId: 'deleteView',
    method: 'delete',
    path: '/console/api/views',
    tags: ['presets'],
    verb: deleteView,
    summary: 'Delete a saved view of yours',
    request: { query: ViewName },
    responses: { 204: { description: 'It is deleted' } },
    problems: ['not_found'],
  },
  async (c) => {
    await deleteView(contextOf(c), c.req.valid('query'))
    return c.body(null, 204)
  },
)
