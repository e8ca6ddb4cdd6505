import type { AuditDraft } from '#core/audit/types.ts'
import type { MicroUsd } from '#core/money.ts'
import { asJson, type Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'

/** The result of a model's last probe. */
export interface ModelProbeRow {
  model: string
  ok: boolean
  latency_ms: number
  cost_micro_usd: MicroUsd | null
  failed_code: string | null
  failed_message: string | null
  probed_by: string
  probed_at: string
}

export type ModelProbeDraft = Omit<ModelProbeRow, 'probed_at'> & { workspace_id: string }

/** The last probe of each model in each workspace. */
export function createModelProbes(db: Db, tenants: TenantDb) {
  const columns = (on: Db) => on`
    model, ok, latency_ms, cost_micro_usd, failed_code, failed_message, probed_by, iso_time(probed_at) as probed_at`
  return {
    /** Takes the place of the one before, with its record. */
    async record(probe: ModelProbeDraft, audit: AuditDraft): Promise<ModelProbeRow> {
      const [row] = await db<ModelProbeRow[]>`
        with probed as (
          insert into model_probes (workspace_id, model, ok, latency_ms, cost_micro_usd, failed_code, failed_message, probed_by)
          values (${probe.workspace_id}, ${probe.model}, ${probe.ok}, ${probe.latency_ms}, ${probe.cost_micro_usd}, ${probe.failed_code},
            ${probe.failed_message}, ${probe.probed_by})
          on conflict (workspace_id, model) do update set ok = excluded.ok, latency_ms = excluded.latency_ms,
            cost_micro_usd = excluded.cost_micro_usd, failed_code = excluded.failed_code, failed_message = excluded.failed_message,
            probed_by = excluded.probed_by, probed_at = now()
          returning *
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from probed
        )
        select ${columns(db)} from probed`
      if (row === undefined) throw new Error('a probe was not written down')
      return row
    },

    last: (workspaceId: string): Promise<ModelProbeRow[]> =>
      tenants.in(
        workspaceId,
        (tenant) => tenant<ModelProbeRow[]>`
          select ${columns(tenant)} from model_probes where workspace_id = ${workspaceId}`,
      ),
  }
}

export type ModelProbes = ReturnType<typeof createModelProbes>
