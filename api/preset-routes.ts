import { Preset, PresetDraft, PresetEdit, PresetQuery } from '#core/preset/schema.ts'
import type { configPresets, inputPresets } from '#services/presets/presets.ts'
import { jsonDraft } from './authored-routes.ts'
import { defineRoute, ok, type Route } from './define-route.ts'
import { ETAG, IfMatch, MAX_PRESET_BYTES, PresetParams } from './schemas/params.ts'

/** Parts of the routes of both kinds of presets. */
export const PRESETS = {
  params: PresetParams,
  key: 'id' as const,
  tags: ['presets'],
  record: Preset,
  query: PresetQuery,
  draft: jsonDraft(PresetDraft, MAX_PRESET_BYTES),
  edit: { method: 'patch' as const, ...jsonDraft(PresetEdit, MAX_PRESET_BYTES) },
}

interface MakeDefault {
  verb: (typeof configPresets | typeof inputPresets)['makeDefault']
  operationId: string
  path: `/${string}/default`
  summary: string
  description: string
}

/** Makes a preset the default of its template. */
export function makeDefaultRoute(kind: MakeDefault): Route {
  return defineRoute(
    {
      ...kind,
      method: 'post',
      tags: PRESETS.tags,
      request: { params: PresetParams, headers: IfMatch },
      responses: { 200: { ...ok(Preset, 'The preset, the default from now on'), headers: ETAG } },
      problems: ['version_conflict', 'conflict'],
      idempotent: true,
    },
    async (c) => {
      const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
      const at = { key: c.req.valid('param').id, if_match: c.req.valid('header')['if-match'] }
      const preset = await kind.verb(ctx, at)
      return c.json(preset, 200, { etag: preset.etag })
    },
  )
}
