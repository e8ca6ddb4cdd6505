import type { AuditDraft } from '#core/audit/types.ts'
import { coalesced } from '#core/coalesced.ts'
import type { JsonObject } from '#core/json/json.ts'
import { asJson, type Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'

/** `workflow`: the values of a template in a workspace, one set without a name. */
export type PresetKind = 'workflow' | 'config' | 'input'

export interface PresetRow {
  id: string
  workspace_id: string
  kind: PresetKind
  pack: string
  template: string
  name: string
  inputs: JsonObject
  is_default: boolean
  version: number
  author: string
  /** everyone who has written it */
  authors?: string[]
  created_at: string
  updated_at: string
}

export type PresetDraft = Pick<
  PresetRow,
  'id' | 'workspace_id' | 'kind' | 'pack' | 'template' | 'name' | 'inputs' | 'author'
>

/** The version that a change was decided on: it applies to no other. */
export type PresetState = Pick<PresetRow, 'id' | 'workspace_id' | 'name' | 'version' | 'is_default'>

export interface PresetChange {
  name: string
  inputs: JsonObject
  is_default: boolean
  author: string
  /** true when this changes its content */
  is_changed: boolean
}

export type PresetStore = ReturnType<typeof createPresetStore>

/** Presets of workspaces. A start reads in the name of all of them, as the machinery that it is. */
export function createPresetStore(db: Db, tenants: TenantDb) {
  const columns = (on: Db) => on`
    id, workspace_id, kind, pack, template, name, inputs, is_default, version, author, authors, iso_time(created_at) as created_at,
    iso_time(updated_at) as updated_at`
  const audited = (from: string, audit: AuditDraft) =>
    db`audited as (insert into audit_outbox (draft) select ${db.json(asJson(audit))} from ${db(from)})`
  const unchanged = ({ id, workspace_id, name, version, is_default }: PresetState) => db`
    id = ${id} and workspace_id = ${workspace_id} and name = ${name} and version = ${version} and is_default = ${is_default}`

  /** A later statement than the one that locks the row: a schedule that pins it locks it too, and is visible then. */
  const unpinned = (as: readonly string[]) => db`
    (kind <> 'config' or not exists (
      select from schedules s
      where s.workspace_id = presets.workspace_id and s.pack = presets.pack and s.template = presets.template
        and s.deleted_at is null and s.config_preset = any(${[...as]}::text[])))`

  const ofStart = coalesced(async (key: string): Promise<PresetRow[]> => {
    const [workspaceId, pack, template, preset, given] = JSON.parse(key)
    const chosen = preset === null ? db`is_default` : db`(name = ${preset} or id = ${preset})`
    return db<PresetRow[]>`
      select ${columns(db)} from presets
      where workspace_id = ${workspaceId} and pack = ${pack} and template = ${template}
        and (kind = 'workflow' or kind = 'config' and ${chosen}
          or ${given !== null} and kind = 'input' and inputs <> '{}' and inputs <@ ${db.json(given ?? {})}::jsonb)`
  })

  return {
    /**
     * Returns the defaults of the template, and the config preset of this name or id, without one the default; with `given` also the input
     * presets whose values are all among these inputs. Never older than the question.
     */
    ofStart: (
      workspaceId: string,
      of: { pack: string; template: string; preset?: string | undefined; given?: JsonObject | undefined },
    ) => ofStart(JSON.stringify([workspaceId, of.pack, of.template, of.preset ?? null, of.given ?? null])),

    async list(workspaceId: string, kind: PresetKind, of: { pack?: string; template?: string }): Promise<PresetRow[]> {
      return tenants.in(
        workspaceId,
        (on) => on<PresetRow[]>`
          select ${columns(on)} from presets where workspace_id = ${workspaceId} and kind = ${kind}
            ${of.pack === undefined ? on`` : on`and pack = ${of.pack}`}
            ${of.template === undefined ? on`` : on`and template = ${of.template}`}
          order by pack collate "C", template collate "C", name collate "C"`,
      )
    },

    async find(workspaceId: string, kind: PresetKind, id: string): Promise<PresetRow | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (on) => on<PresetRow[]>`
          select ${columns(on)} from presets where workspace_id = ${workspaceId} and kind = ${kind} and id = ${id}`,
      )
      return row
    },

    /** Undefined when the name is taken, or the workspace keeps `most` of the kind already (null: no bound). */
    async create(draft: PresetDraft, most: number | null, audit: AuditDraft): Promise<PresetRow | undefined> {
      const { id, workspace_id, kind, pack, template, name, inputs, author } = draft
      return await db.begin(async (sql) => {
        // serialised, or two writers would both find the last free place
        await sql`select pg_advisory_xact_lock(hashtextextended(${`svc:presets:${workspace_id}:${kind}`}, 0))`
        const [row] = await sql<PresetRow[]>`
          with made as (
            insert into presets (id, workspace_id, kind, pack, template, name, inputs, author, authors)
            select ${id}, ${workspace_id}, ${kind}, ${pack}, ${template}, ${name}, ${db.json(asJson(inputs))}, ${author},
              array[${author}]
            where ${most}::integer is null
              or (select count(*) from presets where workspace_id = ${workspace_id} and kind = ${kind}) < ${most}
            on conflict on constraint presets_by_name do nothing returning *
          ), ${audited('made', audit)}
          select ${columns(db)} from made`
        return row
      })
    },

    /** Undefined when it is no longer `before`, or loses a name that a schedule pins. A name that is taken violates `presets_by_name`. */
    async change(before: PresetState, change: PresetChange, audit: AuditDraft): Promise<PresetRow | undefined> {
      const { name, inputs, is_default, author, is_changed } = change
      const lost = name === before.name ? [] : [before.name]
      return await db.begin(async (sql) => {
        await sql`select from presets where id = ${before.id} for update`
        const [row] = await sql<PresetRow[]>`
        with own as materialized (
          select id, workspace_id, kind, pack, template from presets
          where ${unchanged(before)} and ${unpinned(lost)} for update
        ), other as (
          update presets p set is_default = false, updated_at = now() from own
          where ${is_default} and p.is_default and p.id <> own.id
            and (p.workspace_id, p.kind, p.pack, p.template) = (own.workspace_id, own.kind, own.pack, own.template)
          returning p.id
        ), changed as (
          update presets p set name = ${name}, inputs = ${db.json(asJson(inputs))}, is_default = ${is_default},
            author = ${author}, authors = array_append(array_remove(p.authors, ${author}), ${author}), version = version + ${is_changed ? 1 : 0}, updated_at = now()
          from own
          -- counting makes the other default give its place up first
          where p.id = own.id and (select count(*) from other) >= 0 returning p.*
        ), ${audited('changed', audit)}
        select ${columns(db)} from changed`
        return row
      })
    },

    /** False when it is no longer `before`, or a schedule pins it. */
    async remove(before: PresetState, audit: AuditDraft): Promise<boolean> {
      return await db.begin(async (sql) => {
        await sql`select from presets where id = ${before.id} for update`
        const rows = await sql`
          with gone as (
            delete from presets where ${unchanged(before)} and ${unpinned([before.name, before.id])} returning id
          ), ${audited('gone', audit)}
          select id from gone`
        return rows.length > 0
      })
    },

    /** Returns the names of the schedules that pin it, by `as` or in any way. */
    async pinnedBy({ workspace_id, pack, template, name, id }: PresetRow, as?: string): Promise<string[]> {
      const rows = await db<{ name: string }[]>`
        select name from schedules
        where workspace_id = ${workspace_id} and pack = ${pack} and template = ${template} and deleted_at is null
          and config_preset = any(${as === undefined ? [name, id] : [as]}::text[]) order by name limit 5`
      return rows.map((row) => row.name)
    },
  }
}
