import { Preset } from '#core/preset/schema.ts'
import { changePreset } from '#services/presets/change-preset.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { PresetParams } from '../../schemas/presets.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const makeInputPresetDefaultRoute = defineRoute(
  {
    operationId: 'makeInputPresetDefault',
    method: 'post',
    path: '/console/api/input-presets/{id}/default',
    tags: ['presets'],
    access: 'write',
    auth: 'operator',
    summary: 'Make an input preset the default of its template',
    description:
      'The form of the template begins with it. The one that was the default is not any more. `PATCH` with `is_default: false` leaves none.',
    request: { params: PresetParams, headers: IfMatch },
    responses: { 200: { ...ok(Preset, 'The preset, the default from now on'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const change = { id: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'], is_default: true }
    const preset = await changePreset(ctx, 'input', change)
    return c.json(preset, 200, { etag: preset.etag })
  },
)
