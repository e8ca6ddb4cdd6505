import { WorkflowConfig } from '#core/preset/schema.ts'
import { getWorkflowConfig } from '#services/presets/get-workflow-config.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { TemplateParams } from '../../schemas/params.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const getWorkflowConfigRoute = defineRoute(
  {
    operationId: 'getWorkflowConfig',
    method: 'get',
    path: '/console/api/workflows/{pack}/{tpl}/config',
    tags: ['presets'],
    access: 'read',
    auth: 'user',
    summary: 'What every start of a template begins with in the workspace',
    request: { params: TemplateParams },
    responses: { 200: { ...ok(WorkflowConfig, 'What can be set, what is set, and what is refused'), headers: ETAG } },
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const config = await getWorkflowConfig(ctx, { pack, template: tpl })
    return c.json(config, 200, { etag: config.etag })
  },
)
