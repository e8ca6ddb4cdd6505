import { Preset } from '#core/preset/schema.ts'
import { getPreset } from '#services/presets/get-preset.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { PresetParams } from '../../schemas/presets.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const getInputPresetRoute = defineRoute(
  {
    operationId: 'getInputPreset',
    method: 'get',
    path: '/console/api/input-presets/{id}',
    tags: ['presets'],
    access: 'read',
    auth: 'user',
    summary: 'Read an input preset',
    request: { params: PresetParams },
    responses: { 200: { ...ok(Preset, 'The preset'), headers: ETAG } },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const preset = await getPreset(ctx, 'input', c.req.valid('param').id)
    return c.json(preset, 200, { etag: preset.etag })
  },
)
