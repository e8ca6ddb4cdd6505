import { deletePreset } from '#services/presets/delete-preset.ts'
import { defineRoute } from '../../define-route.ts'
import { PresetParams } from '../../schemas/presets.ts'
import { IfMatch } from '../../schemas/workspaces.ts'

export const deleteInputPresetRoute = defineRoute(
  {
    operationId: 'deleteInputPreset',
    method: 'delete',
    path: '/console/api/input-presets/{id}',
    tags: ['presets'],
    access: 'write',
    auth: 'operator',
    summary: 'Delete an input preset',
    description: 'Nothing but forms knew of it.',
    request: { params: PresetParams, headers: IfMatch },
    responses: { 204: { description: 'It is gone' } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    await deletePreset(ctx, 'input', { id: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'] })
    return c.body(null, 204)
  },
)
