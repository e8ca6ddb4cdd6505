import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { WorkflowConfig } from '#core/preset/schema.ts'
import { surfaceOf } from '#core/preset/surface.ts'
import type { PresetRow } from '#store/authored/presets.ts'
import { authorOf, digestOf, mustMatch, overtaken } from '../authored-document.ts'
import { defineVerb } from '../define-verb.ts'
import { findTemplate } from '../packs/contracts.ts'
import { checkValues } from './check-values.ts'
import { etagOf, type PresetContext, presetAudit, problemsOf, shownInputs } from './preset-record.ts'

/** Returns the defaults of a template in the caller's workspace, and the inputs that can have one. */
export async function getWorkflowConfig(ctx: PresetContext, of: TemplateName): Promise<WorkflowConfig> {
  return toWorkflowConfig(ctx, of, await findWorkflowConfig(ctx, of))
}

/** Replaces the defaults of a template's starts. Throws `version_conflict`, or `governance_knob`. */
export const putWorkflowConfig = defineVerb(
  { role: 'admin', access: 'write', scope: 'workspace' },
  async (
    ctx: PresetContext,
    { pack, template, if_match, values }: TemplateName & { if_match?: string | undefined; values: JsonObject },
  ): Promise<WorkflowConfig> => {
    const of = { pack, template }
    const before = await findWorkflowConfig(ctx, of)
    mustMatch(if_match, toWorkflowConfig(ctx, of, before).etag)
    const inputs = checkValues(ctx, of, values)
    const author = authorOf(ctx)
    const row = await (before === undefined
      ? create(ctx, { ...of, inputs, author })
      : replace(ctx, before, { ...before, inputs, author }))
    if (row === undefined) throw overtaken()
    return toWorkflowConfig(ctx, of, row)
  },
)

function create(ctx: PresetContext, draft: TemplateName & Pick<PresetRow, 'inputs' | 'author'>) {
  const { workspace_id } = ctx
  const made = { ...draft, id: ctx.ids.next('preset'), workspace_id, kind: 'workflow' as const, name: '' }
  const after = { ...made, is_default: false, created_at: '', updated_at: '' }
  // there is one for each template, so that nothing else bounds them
  return ctx.preset_store.create(made, null, presetAudit(ctx, { action: 'workflow_config.updated', after }))
}

function replace(ctx: PresetContext, before: PresetRow, after: PresetRow) {
  const is_changed = canonicalText(after.inputs) !== canonicalText(before.inputs)
  return ctx.preset_store.change(
    before,
    { ...after, is_changed },
    presetAudit(ctx, { action: 'workflow_config.updated', before, after }),
  )
}

type TemplateName = Pick<PresetRow, 'pack' | 'template'>

/** Returns the stored defaults of a template; undefined if there never were any. */
async function findWorkflowConfig(ctx: PresetContext, of: TemplateName): Promise<PresetRow | undefined> {
  findTemplate(ctx, of.pack, of.template)
  return (await ctx.preset_store.list(ctx.workspace_id, 'workflow', of))[0]
}

/** The stored values as people see them, with what could be set and what no longer fits. */
function toWorkflowConfig(ctx: PresetContext, of: TemplateName, row: PresetRow | undefined): WorkflowConfig {
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
