import { z } from '@hono/zod-openapi'
import { Preset, PresetDraft, PresetEdit, PresetQuery } from '#core/preset/schema.ts'
import { changePreset, createPreset, deletePreset, getPreset, listPresets } from '#services/presets/presets.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { LOCATION, TOTAL } from '../../schemas/authored.ts'
import { MAX_PRESET_BYTES, PresetParams } from '../../schemas/presets.ts'
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

export const deleteConfigPresetRoute = defineRoute(
  {
    operationId: 'deleteConfigPreset',
    method: 'delete',
    path: '/console/api/config-presets/{id}',
    tags: ['presets'],
    access: 'write',
    auth: 'admin',
    summary: 'Delete a config preset',
    description: 'One that a schedule uses is 409 `conflict`. Runs that began with it keep what it filled in.',
    request: { params: PresetParams, headers: IfMatch },
    responses: { 204: { description: 'It is gone' } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    await deletePreset(ctx, 'config', { id: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'] })
    return c.body(null, 204)
  },
)

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

export const getConfigPresetRoute = defineRoute(
  {
    operationId: 'getConfigPreset',
    method: 'get',
    path: '/console/api/config-presets/{id}',
    tags: ['presets'],
    access: 'read',
    auth: 'user',
    summary: 'Read a config preset',
    request: { params: PresetParams },
    responses: { 200: { ...ok(Preset, 'The preset'), headers: ETAG } },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const preset = await getPreset(ctx, 'config', c.req.valid('param').id)
    return c.json(preset, 200, { etag: preset.etag })
  },
)

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

export const listConfigPresetsRoute = defineRoute(
  {
    operationId: 'listConfigPresets',
    method: 'get',
    path: '/console/api/config-presets',
    tags: ['presets'],
    access: 'read',
    auth: 'user',
    summary: 'List the config presets of the workspace, by template and name',
    description:
      'A start names one (`config_preset`), and the server fills in the inputs that the start does not name. The default one is taken by starts that name none. There are at most 200.',
    request: { query: PresetQuery },
    responses: { 200: { ...ok(z.array(Preset), 'The presets'), headers: TOTAL } },
  },
  async (c) => {
    const page = await listPresets({ ...c.get('ctx'), ...c.get('deps').authoring }, 'config', c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
