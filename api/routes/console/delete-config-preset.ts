import { deletePreset } from '#services/presets/delete-preset.ts'
import { defineRoute } from '../../define-route.ts'
import { PresetParams } from '../../schemas/presets.ts'
import { IfMatch } from '../../schemas/workspaces.ts'

export const deleteConfigPresetRoute = defineRoute(
  {
    operationId: 'deleteConfigPreset',
    method: 'delete',
    path: '/console/api/config-presets/{id}',
    tags: ['presets'],
    access: 'write',
    auth: 'admin',
    summary: 'Delete a config preset',
    description: 'One that a schedule uses is 409 `conflict`. Runs that began with it keep what it filled in.',
    request: { params: PresetParams, headers: IfMatch },
    responses: { 204: { description: 'It is gone' } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    await deletePreset(ctx, 'config', { id: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'] })
    return c.body(null, 204)
  },
)
