import { Preset, PresetDraft, PresetEdit, PresetQuery } from '#core/preset/schema.ts'
import { inputPresets } from '#services/presets/presets.ts'
import { authoredRoutes, jsonDraft } from '../../authored-routes.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { MAX_PRESET_BYTES, PresetParams } from '../../schemas/presets.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const inputPresetRoutes = authoredRoutes({
  verbs: inputPresets,
  names: ['InputPreset', 'InputPresets'],
  path: '/console/api/input-presets',
  params: PresetParams,
  key: 'id',
  tags: ['presets'],
  record: Preset,
  query: PresetQuery,
  draft: jsonDraft(PresetDraft, MAX_PRESET_BYTES),
  edit: { method: 'patch', ...jsonDraft(PresetEdit, MAX_PRESET_BYTES) },
  list: {
    summary: 'List the input presets of the workspace, by template and name',
    description:
      'Inputs that people keep for the form of a template. A form loads them; starts know nothing of them. There are at most 200.',
    answer: 'The presets',
  },
  create: {
    summary: 'Keep inputs of a template as an input preset',
    description:
      'Inputs that people keep for the form of a template. A form loads them; starts know nothing of them. What governs runs, and secrets, are 403 `governance_knob`.',
    answer: 'The preset',
    problems: ['governance_knob', 'not_found', 'conflict'],
  },
  get: {
    summary: 'Read an input preset',
    answer: 'The preset',
  },
  update: {
    summary: 'Rename an input preset, or change its values',
    description: '`values` take the place of all that were kept.',
    answer: 'The preset as it is now',
    problems: ['governance_knob', 'version_conflict', 'conflict'],
  },
  delete: {
    summary: 'Delete an input preset',
    description: 'Nothing but forms knew of it.',
    answer: 'It is gone',
    problems: ['version_conflict', 'conflict'],
  },
})

export const makeInputPresetDefaultRoute = defineRoute(
  {
    operationId: 'makeInputPresetDefault',
    method: 'post',
    path: '/console/api/input-presets/{id}/default',
    tags: ['presets'],
    verb: inputPresets.makeDefault,
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
    const at = { key: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'] }
    const preset = await inputPresets.makeDefault(ctx, at)
    return c.json(preset, 200, { etag: preset.etag })
  },
)
