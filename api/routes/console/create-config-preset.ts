import { Preset, PresetDraft } from '#core/preset/schema.ts'
import { createPreset } from '#services/presets/create-preset.ts'
import { defineRoute, json } from '../../define-route.ts'
import { LOCATION } from '../../schemas/authored.ts'
import { MAX_PRESET_BYTES } from '../../schemas/presets.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const createConfigPresetRoute = defineRoute(
  {
    operationId: 'createConfigPreset',
    method: 'post',
    path: '/console/api/config-presets',
    tags: ['presets'],
    access: 'write',
    auth: 'admin',
    summary: 'Keep inputs of a template as a config preset',
    description:
      'A start names one (`config_preset`), and the server fills in the inputs that the start does not name. The default one is taken by starts that name none. What governs runs, and secrets, are 403 `governance_knob`.',
    request: { body: json(PresetDraft) },
    max_body_bytes: MAX_PRESET_BYTES,
    responses: {
      201: {
        description: 'The preset',
        headers: { ...ETAG, ...LOCATION },
        content: { 'application/json': { schema: Preset } },
      },
    },
    problems: ['governance_knob', 'not_found', 'conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const preset = await createPreset(ctx, 'config', c.req.valid('json'))
    return c.json(preset, 201, { location: `/console/api/config-presets/${preset.id}`, etag: preset.etag })
  },
)
