import { canonicalText } from '#core/canonical-text.ts'
import type { JsonObject } from '#core/json.ts'
import type { WorkflowConfig } from '#core/preset/schema.ts'
import type { PresetRow } from '#store/presets.ts'
import { authorOf, overtaken } from '../authored-document.ts'
import { mustMatch } from '../must-match.ts'
import { checkValues } from './check-values.ts'
import type { PresetContext } from './preset-ports.ts'
import { presetAudit } from './preset-record.ts'
import { findWorkflowConfig, type TemplateName, toWorkflowConfig } from './workflow-config-record.ts'

/** Puts other values in the place of those that starts of a template begin with. Throws `version_conflict`, or `governance_knob`. */
export async function putWorkflowConfig(
  ctx: PresetContext,
  { pack, template, if_match, values }: TemplateName & { if_match?: string | undefined; values: JsonObject },
): Promise<WorkflowConfig> {
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
}

function create(ctx: PresetContext, said: TemplateName & Pick<PresetRow, 'inputs' | 'author'>) {
  const { workspace_id } = ctx
  const made = { ...said, id: ctx.ids.next('preset'), workspace_id, kind: 'workflow' as const, name: '' }
  const after = { ...made, is_default: false, created_at: '', updated_at: '' }
  // there is one for each template, so that nothing else bounds them
  return ctx.preset_store.create(made, null, presetAudit(ctx, { action: 'workflow_config.updated', after }))
}

function replace(ctx: PresetContext, before: PresetRow, after: PresetRow) {
  const anew = canonicalText(after.inputs) !== canonicalText(before.inputs)
  return ctx.preset_store.change(
    before,
    { ...after, anew },
    presetAudit(ctx, { action: 'workflow_config.updated', before, after }),
  )
}
