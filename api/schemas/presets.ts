import { z } from '@hono/zod-openapi'
import { PresetId } from '#core/preset/schema.ts'

export const PresetParams = z.object({ id: PresetId })

/** Twice what values may take as their canonical text. */
export const MAX_PRESET_BYTES = 131_072
