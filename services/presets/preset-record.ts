import type { AuditDraft } from '#core/audit/types.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import { presetFault, presetFaults } from '#core/preset/check-preset-values.ts'
import type { Preset } from '#core/preset/schema.ts'
import { surfaceOf } from '#core/preset/surface.ts'
import type { PresetRow, PresetStore } from '#store/authored/presets.ts'
import { authoredAudit, authorOf, digestOf } from '../authored-document.ts'
import type { ServiceContext } from '../context.ts'

export type PresetContext = ServiceContext & { preset_store: PresetStore }

/** Presets for starts, and presets for forms. */
export type NamedKind = 'config' | 'input'

/** A preset as people see it. */
export function toPresetRecord(ctx: PresetContext, row: PresetRow): Preset {
  const { inputs, kind, ...rest } = row
  return {
    ...rest,
    kind: kind as NamedKind,
    values: { inputs: shownInputs(ctx, row) },
    digest: digestOf(ctx, canonicalText(inputs)),
    problems: problemsOf(ctx, row),
    etag: etagOf(ctx, row),
  }
}

/** Changes with every editable part. */
export function etagOf(ctx: PresetContext, { name, version, is_default, inputs }: Omit<PresetRow, 'id'>): string {
  return `"${digestOf(ctx, canonicalText([name, version, is_default, inputs]))}"`
}

/** Returns the mismatches with the current template, or that it was removed. */
export function problemsOf(
  ctx: PresetContext,
  { pack, template, inputs }: Pick<PresetRow, 'pack' | 'template' | 'inputs'>,
) {
  const found = ctx.packs.findTemplate(pack, template)
  if (found === undefined) return [{ pointer: '', msg: `there is no template ${pack}/${template} now` }]
  const { secret } = surfaceOf(found.inputs_schema)
  const hidden = Object.keys(inputs)
    .filter((name) => secret.has(name))
    .map((name) => presetFault(['inputs', name], 'has become secret, and is not shown: set the values again', 'secret'))
  return [...hidden, ...presetFaults(found.inputs_schema, inputs)].map(({ pointer, msg }) => ({ pointer, msg }))
}

/** Without inputs that have become secret since. */
export function shownInputs(
  ctx: PresetContext,
  { pack, template, inputs }: Pick<PresetRow, 'pack' | 'template' | 'inputs'>,
): JsonObject {
  const found = ctx.packs.findTemplate(pack, template)
  if (found === undefined) return inputs
  const { secret } = surfaceOf(found.inputs_schema)
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !secret.has(name)))
}

/** Drafts the record of a change of defaults. Values are recorded by digest, and by the names of the inputs. */
export function presetAudit(
  ctx: PresetContext,
  {
    action,
    before,
    after,
  }: { action: string; before?: PresetRow | undefined; after?: Omit<PresetRow, 'version'> | undefined },
): AuditDraft {
  const text = (row: { inputs: JsonObject } | undefined) => row && canonicalText(row.inputs)
  const row = after ?? before
  return authoredAudit(ctx, {
    action,
    subject: { type: 'preset', id: row?.id ?? '' },
    before: text(before),
    after: text(after),
    data: {
      kind: row?.kind ?? null,
      template: `${row?.pack}/${row?.template}`,
      name: row?.name ?? '',
      ...(before !== undefined && after !== undefined && before.name !== after.name && { renamed_from: before.name }),
      is_default: after?.is_default ?? false,
      inputs: Object.keys(row?.inputs ?? {}),
      author: authorOf(ctx),
    },
  })
}
