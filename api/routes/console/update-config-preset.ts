import { Preset, PresetEdit } from '#core/preset/schema.ts'
import { changePreset } from '#services/presets/change-preset.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { MAX_PRESET_BYTES, PresetParams } from '../../schemas/presets.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const updateConfigPresetRoute = defineRoute(
  {
    operationId: 'updateConfigPreset',
    method: 'patch',
    path: '/console/api/config-presets/{id}',
    tags: ['presets'],
    access: 'write',
    auth: 'admin',
    summary: 'Rename a config preset, or change its values',
    description:
      '`version` counts changes of the values: a schedule that pins a version is refused its runs once it is another. A name that a schedule uses stays.',
    request: { params: PresetParams, headers: IfMatch, body: json(PresetEdit) },
    max_body_bytes: MAX_PRESET_BYTES,
    responses: { 200: { ...ok(Preset, 'The preset as it is now'), headers: ETAG } },
    problems: ['governance_knob', 'version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const change = { id: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'], ...c.req.valid('json') }
    const preset = await changePreset(ctx, 'config', change)
    return c.json(preset, 200, { etag: preset.etag })
  },
)
