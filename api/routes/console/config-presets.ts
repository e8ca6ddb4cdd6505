import { Preset, PresetDraft, PresetEdit, PresetQuery } from '#core/preset/schema.ts'
import { configPresets } from '#services/presets/presets.ts'
import { authoredRoutes, jsonDraft } from '../../authored-routes.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { MAX_PRESET_BYTES, PresetParams } from '../../schemas/presets.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const configPresetRoutes = authoredRoutes({
  verbs: configPresets,
  names: ['ConfigPreset', 'ConfigPresets'],
  path: '/console/api/config-presets',
  params: PresetParams,
  key: 'id',
  tags: ['presets'],
  record: Preset,
  query: PresetQuery,
  draft: jsonDraft(PresetDraft, MAX_PRESET_BYTES),
  edit: { method: 'patch', ...jsonDraft(PresetEdit, MAX_PRESET_BYTES) },
  list: {
    summary: 'List the config presets of the workspace, by template and name',
    description:
      'A start names one (`config_preset`), and the server fills in the inputs that the start does not name. The default one is taken by starts that name none. There are at most 200.',
    answer: 'The presets',
  },
  create: {
    summary: 'Keep inputs of a template as a config preset',
    description:
      'A start names one (`config_preset`), and the server fills in the inputs that the start does not name. The default one is taken by starts that name none. What governs runs, and secrets, are 403 `governance_knob`.',
    answer: 'The preset',
    problems: ['governance_knob', 'not_found', 'conflict'],
  },
  get: {
    summary: 'Read a config preset',
    answer: 'The preset',
  },
  update: {
    summary: 'Rename a config preset, or change its values',
    description:
      '`version` counts changes of the values: a schedule that pins a version is refused its runs once it is another. A name that a schedule uses stays.',
    answer: 'The preset as it is now',
    problems: ['governance_knob', 'version_conflict', 'conflict'],
  },
  delete: {
    summary: 'Delete a config preset',
    description: 'One that a schedule uses is 409 `conflict`. Runs that began with it keep what it filled in.',
    answer: 'It is gone',
    problems: ['version_conflict', 'conflict'],
  },
})

export const makeConfigPresetDefaultRoute = defineRoute(
  {
    operationId: 'makeConfigPresetDefault',
    method: 'post',
    path: '/console/api/config-presets/{id}/default',
    tags: ['presets'],
    verb: configPresets.makeDefault,
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
    const at = { key: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'] }
    const preset = await configPresets.makeDefault(ctx, at)
    return c.json(preset, 200, { etag: preset.etag })
  },
)
