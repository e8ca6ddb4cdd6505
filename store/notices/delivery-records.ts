import type { DeliveryRecord } from '#core/ingress/trace-delivery.ts'
import type { Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'

export interface DeliveryFilter {
  workspace_id: string
  pack?: string | undefined
  name?: string | undefined
}

/** A delivery with its place in the list, exact to the microsecond. */
export type PlacedDelivery = DeliveryRecord & { position: string }

interface Page {
  limit: number
  after?: { position: string; id: string } | undefined
}

/** Recorded signed deliveries, for people. */
export function createDeliveryRecords(tenants: TenantDb) {
  const wanted = (sql: Db, { workspace_id, pack, name }: DeliveryFilter) => sql`
    d.workspace_id = ${workspace_id}
    ${pack === undefined ? sql`` : sql`and d.pack = ${pack}`}
    ${name === undefined ? sql`` : sql`and d.name = ${name}`}`
  return {
    /** Newest first, after a place in the list. */
    list(filter: DeliveryFilter, { limit, after }: Page): Promise<PlacedDelivery[]> {
      return tenants.in(filter.workspace_id, (sql) => {
        const beyond =
          after === undefined
            ? sql``
            : sql`and (d.received_at, d.delivery_id) < (${after.position}::timestamptz, ${after.id})`
        return sql<PlacedDelivery[]>`
          select d.delivery_id as id, d.pack, d.name, d.received_at, d.received_at::text as position, d.answer,
            case when i.id is not null
              then jsonb_build_object('status', i.status, 'run_id', i.run_id, 'error', i.error) end as kept
          from ingress_deliveries d left join inbox_items i on i.id = d.delivery_id and i.workspace_id = d.workspace_id
          where ${wanted(sql, filter)} ${beyond}
          order by d.received_at desc, d.delivery_id desc limit ${limit}`
      })
    },

    /** Counts the matches, up to `up_to`. */
    async count(filter: DeliveryFilter, up_to: number): Promise<number> {
      const [row] = await tenants.in(
        filter.workspace_id,
        (sql) => sql<{ count: number }[]>`
          select count(*) as count from (
            select from ingress_deliveries d where ${wanted(sql, filter)} limit ${up_to}) counted`,
      )
      return row?.count ?? 0
    },
  }
}

export type DeliveryRecords = ReturnType<typeof createDeliveryRecords>
