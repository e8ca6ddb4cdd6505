import { Preset, PresetEdit } from '#core/preset/schema.ts'
import { changePreset } from '#services/presets/change-preset.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { MAX_PRESET_BYTES, PresetParams } from '../../schemas/presets.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const updateInputPresetRoute = defineRoute(
  {
    operationId: 'updateInputPreset',
    method: 'patch',
    path: '/console/api/input-presets/{id}',
    tags: ['presets'],
    access: 'write',
    auth: 'operator',
    summary: 'Rename an input preset, or change its values',
    description: '`values` take the place of all that were kept.',
    request: { params: PresetParams, headers: IfMatch, body: json(PresetEdit) },
    max_body_bytes: MAX_PRESET_BYTES,
    responses: { 200: { ...ok(Preset, 'The preset as it is now'), headers: ETAG } },
    problems: ['governance_knob', 'version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const change = { id: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'], ...c.req.valid('json') }
    const preset = await changePreset(ctx, 'input', change)
    return c.json(preset, 200, { etag: preset.etag })
  },
)
