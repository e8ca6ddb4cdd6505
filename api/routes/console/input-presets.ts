import { z } from '@hono/zod-openapi'
import { Preset, PresetDraft, PresetEdit, PresetQuery } from '#core/preset/schema.ts'
import { changePreset, createPreset, deletePreset, getPreset, listPresets } from '#services/presets/presets.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { LOCATION, TOTAL } from '../../schemas/authored.ts'
import { MAX_PRESET_BYTES, PresetParams } from '../../schemas/presets.ts'
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

export const deleteInputPresetRoute = defineRoute(
  {
    operationId: 'deleteInputPreset',
    method: 'delete',
    path: '/console/api/input-presets/{id}',
    tags: ['presets'],
    access: 'write',
    auth: 'operator',
    summary: 'Delete an input preset',
    description: 'Nothing but forms knew of it.',
    request: { params: PresetParams, headers: IfMatch },
    responses: { 204: { description: 'It is gone' } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    await deletePreset(ctx, 'input', { id: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'] })
    return c.body(null, 204)
  },
)

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

export const listInputPresetsRoute = defineRoute(
  {
    operationId: 'listInputPresets',
    method: 'get',
    path: '/console/api/input-presets',
    tags: ['presets'],
    access: 'read',
    auth: 'user',
    summary: 'List the input presets of the workspace, by template and name',
    description:
      'Inputs that people keep for the form of a template. A form loads them; starts know nothing of them. There are at most 200.',
    request: { query: PresetQuery },
    responses: { 200: { ...ok(z.array(Preset), 'The presets'), headers: TOTAL } },
  },
  async (c) => {
    const page = await listPresets({ ...c.get('ctx'), ...c.get('deps').authoring }, 'input', c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
