import { Preset, PresetDraft } from '#core/preset/schema.ts'
import { createPreset } from '#services/presets/create-preset.ts'
import { defineRoute, json } from '../../define-route.ts'
import { LOCATION } from '../../schemas/authored.ts'
import { MAX_PRESET_BYTES } from '../../schemas/presets.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const createInputPresetRoute = defineRoute(
  {
    operationId: 'createInputPreset',
    method: 'post',
    path: '/console/api/input-presets',
    tags: ['presets'],
    access: 'write',
    auth: 'operator',
    summary: 'Keep inputs of a template as an input preset',
    description:
      'Inputs that people keep for the form of a template. A form loads them; starts know nothing of them. What governs runs, and secrets, are 403 `governance_knob`.',
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
    const preset = await createPreset(ctx, 'input', c.req.valid('json'))
    return c.json(preset, 201, { location: `/console/api/input-presets/${preset.id}`, etag: preset.etag })
  },
)
