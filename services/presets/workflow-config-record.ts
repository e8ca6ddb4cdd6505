import { canonicalText } from '#core/canonical-text.ts'
import type { WorkflowConfig } from '#core/preset/schema.ts'
import { surfaceOf } from '#core/preset/surface.ts'
import type { PresetRow } from '#store/presets.ts'
import { digestOf } from '../authored-document.ts'
import { findTemplate } from '../packs/find-template.ts'
import type { PresetContext } from './preset-ports.ts'
import { etagOf, problemsOf, shownInputs } from './preset-record.ts'

export type TemplateName = Pick<PresetRow, 'pack' | 'template'>

/** What is stored for a template; undefined while nothing was ever set. */
export async function findWorkflowConfig(ctx: PresetContext, of: TemplateName): Promise<PresetRow | undefined> {
  findTemplate(ctx, of.pack, of.template)
  return (await ctx.preset_store.list(ctx.workspace_id, 'workflow', of))[0]
}

/** The stored values as people see them, with what could be set and what no longer fits. */
export function toWorkflowConfig(ctx: PresetContext, of: TemplateName, row: PresetRow | undefined): WorkflowConfig {
  const { inputs_schema } = findTemplate(ctx, of.pack, of.template)
  const surface = surfaceOf(inputs_schema)
  const { inputs = {}, version = 0 } = row ?? {}
  return {
    ...of,
    surface: surface.schema,
    protected: surface.protected,
    values: { inputs: shownInputs(ctx, { ...of, inputs }) },
    version,
    digest: digestOf(ctx, canonicalText(inputs)),
    problems: problemsOf(ctx, { ...of, inputs }),
    etag: row === undefined ? '"0"' : etagOf(ctx, row),
    ...(row !== undefined && { author: row.author, updated_at: row.updated_at }),
  }
}
