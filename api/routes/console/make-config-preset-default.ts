import { Preset } from '#core/preset/schema.ts'
import { changePreset } from '#services/presets/change-preset.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { PresetParams } from '../../schemas/presets.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const makeConfigPresetDefaultRoute = defineRoute(
  {
    operationId: 'makeConfigPresetDefault',
    method: 'post',
    path: '/console/api/config-presets/{id}/default',
    tags: ['presets'],
    access: 'write',
    auth: 'admin',
    summary: 'Make a config preset the default of its template',
    description:
      'Starts that name no config preset take it, whatever starts them. The one that was the default is not any more. `PATCH` with `is_default: false` leaves none.',
    request: { params: PresetParams, headers: IfMatch },
    responses: { 200: { ...ok(Preset, 'The preset, the default from now on'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const change = { id: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'], is_default: true }
    const preset = await changePreset(ctx, 'config', change)
    return c.json(preset, 200, { etag: preset.etag })
  },
)
