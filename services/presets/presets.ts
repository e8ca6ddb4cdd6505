import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { PresetDraft } from '#core/preset/schema.ts'
import type { PresetRow } from '#store/authored/presets.ts'
import { defineAuthored } from '../authored/define-authored.ts'
import { authorOf, limitReached, overtaken } from '../authored-document.ts'
import { defineVerb } from '../define-verb.ts'
import { checkValues } from './check-values.ts'
import { etagOf, type NamedKind, type PresetContext, presetAudit, toPresetRecord } from './preset-record.ts'

/** As many presets of a kind as a workspace keeps. */
const MAX_PRESETS = 200

export const configPresets = definePresets('config', 'admin')
export const inputPresets = definePresets('input', 'operator')

interface PresetChange {
  name?: string | undefined
  values?: JsonObject | undefined
  is_default?: boolean | undefined
}

type Found = PresetRow & { etag: string }

/** Inputs of a template that a workspace keeps under a name: those that starts name, or those that forms load. */
function definePresets(kind: NamedKind, role: 'admin' | 'operator') {
  const needs = { role, access: 'write', scope: 'workspace' } as const
  const asFound = (ctx: PresetContext, row: PresetRow): Found => ({ ...row, etag: etagOf(ctx, row) })
  const verbs = defineAuthored({
    needs,
    async list(ctx: PresetContext, of: { pack?: string | undefined; template?: string | undefined }) {
      const { pack, template } = of
      const rows = await ctx.preset_store.list(ctx.workspace_id, kind, {
        ...(pack !== undefined && { pack }),
        ...(template !== undefined && { template }),
      })
      return rows.map((row) => asFound(ctx, row))
    },

    async find(ctx, id: string): Promise<Found> {
      const row = await ctx.preset_store.find(ctx.workspace_id, kind, id)
      if (row === undefined) throw new DomainError('not_found', 'there is no such preset')
      return asFound(ctx, row)
    },

    record: (ctx, found) => toPresetRecord(ctx, found),

    lint(ctx, draft: PresetDraft): Kept {
      const { pack, template, name, values } = draft
      const made = { id: ctx.ids.next('preset'), workspace_id: ctx.workspace_id, kind, pack, template, name }
      const inputs = checkValues(ctx, draft, values)
      return { ...made, inputs, is_default: false, author: authorOf(ctx), created_at: '', updated_at: '' }
    },

    async lintEdit(ctx, { name, values, is_default }: PresetChange, before): Promise<Kept> {
      const inputs = values === undefined ? before.inputs : checkValues(ctx, before, values)
      if (name !== undefined && name !== before.name) await mustNotBePinned(ctx, before, before.name)
      return {
        ...before,
        name: name ?? before.name,
        inputs,
        is_default: is_default ?? before.is_default,
        author: authorOf(ctx),
      }
    },

    loosened: async () => undefined,

    async save(ctx, before, after): Promise<Found> {
      const row = await (before === undefined ? create(ctx, after) : change(ctx, before, after))
      return asFound(ctx, row)
    },

    /** Runs that began with it keep its values. */
    async remove(ctx, before): Promise<void> {
      await mustNotBePinned(ctx, before)
      if (!(await ctx.preset_store.remove(before, presetAudit(ctx, { action: 'preset.deleted', before }))))
        throw overtaken()
    },

    made: ({ subject }) => ({ key: subject.id }),
  })
  return {
    ...verbs,
    /** Starts, or the form, of its template take it where they name none. */
    makeDefault: defineVerb(needs, (ctx: PresetContext, at: { key: string; if_match?: string | undefined }) =>
      verbs.update(ctx, { ...at, edit: { is_default: true } }),
    ),
  }
}

type Kept = Omit<PresetRow, 'version' | 'authors'>

async function create(ctx: PresetContext, after: Kept): Promise<PresetRow> {
  const { workspace_id, kind, pack, template, name } = after
  const audit = presetAudit(ctx, { action: 'preset.created', after })
  const row = await ctx.preset_store.create(after, MAX_PRESETS, audit)
  if (row !== undefined) return row
  const others = await ctx.preset_store.list(workspace_id, kind, { pack, template })
  throw others.some((other) => other.name === name) ? nameTaken(name) : limitReached(MAX_PRESETS, `${kind} presets`)
}

async function change(ctx: PresetContext, before: PresetRow, after: Kept): Promise<PresetRow> {
  const is_changed = canonicalText(after.inputs) !== canonicalText(before.inputs)
  const audit = presetAudit(ctx, { action: 'preset.updated', before, after })
  const row = await ctx.preset_store.change(before, { ...after, is_changed }, audit).catch((error: unknown) => {
    const constraint = error instanceof Error && 'constraint_name' in error ? error.constraint_name : undefined
    if (constraint === 'presets_by_name') throw nameTaken(after.name)
    // two became the default at once
    throw constraint === 'presets_with_one_default' ? overtaken() : error
  })
  if (row === undefined) throw overtaken()
  return row
}

function nameTaken(name: string): DomainError {
  return new DomainError('conflict', `There is a preset ${name} already.`)
}

/** Throws `conflict` while schedules name the preset: their firings would be refused. */
async function mustNotBePinned({ preset_store }: PresetContext, row: PresetRow, as?: string): Promise<void> {
  const schedules = await preset_store.pinnedBy(row, as)
  if (row.kind === 'config' && schedules.length > 0)
    throw new DomainError('conflict', `The schedule ${schedules.join(', ')} uses it; delete or change that first.`, {
      schedules,
    })
}
