import { WorkflowConfig, WorkflowConfigEdit } from '#core/preset/schema.ts'
import { getWorkflowConfig, putWorkflowConfig } from '#services/presets/workflow-config.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { ETAG, IfMatch, MAX_PRESET_BYTES, TemplateParams } from '../../schemas/params.ts'

export const putWorkflowConfigRoute = defineRoute(
  {
    operationId: 'putWorkflowConfig',
    method: 'put',
    path: '/console/api/workflows/{pack}/{tpl}/config',
    tags: ['presets'],
    verb: putWorkflowConfig,
    summary: 'Set what every start of a template begins with in the workspace',
    description:
      'The values fill in inputs that a start does not name, from any trigger; a config preset and the start itself override them. Each run records their version and digest. What governs runs, and secrets, are 403 `governance_knob`.',
    request: { params: TemplateParams, headers: IfMatch, body: json(WorkflowConfigEdit) },
    max_body_bytes: MAX_PRESET_BYTES,
    responses: { 200: { ...ok(WorkflowConfig, 'As it is set now'), headers: ETAG } },
    problems: ['governance_knob', 'version_conflict', 'conflict'],
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    const if_match = c.req.valid('header')['if-match']
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { values } = c.req.valid('json')
    const config = await putWorkflowConfig(ctx, { pack, template: tpl, if_match, values })
    return c.json(config, 200, { etag: config.etag })
  },
)

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
