import type { operations } from '#client/api.generated.ts'
import type { createClient, Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'

/** largest size of a page */
const PAGE = 200

/** The requested part of a list, and its size where that is known. */
export interface Listed<Item> {
  items: Item[]
  /** number of matches; `at_least` where the count was capped */
  total?: { count: number; at_least: boolean }
}

/** Filters of the list of runs. */
export type RunQuery = Omit<NonNullable<operations['listRuns']['parameters']['query']>, 'limit' | 'cursor'>

/** Filters of the queue of gates. */
export type GateQuery = Omit<NonNullable<operations['listGates']['parameters']['query']>, 'limit' | 'cursor'>

/** Filters of the list of pipelines. */
export type PipelineQuery = Omit<NonNullable<operations['listPipelines']['parameters']['query']>, 'limit' | 'cursor'>

/** Filters of the audit log. */
export type AuditQuery = Omit<
  NonNullable<operations['listAudit']['parameters']['query']>,
  'limit' | 'cursor' | 'format'
>

/** Filters of the list of deliveries. */
type DeliveryQuery = Omit<NonNullable<operations['listDeliveries']['parameters']['query']>, 'limit' | 'cursor'>

/** most of a list that a command reads whole */
const WHOLE = 10_000

/** The lists of the API, over as many pages as it takes. */
export function createApiLists(client: ReturnType<typeof createClient>) {
  return {
    runs: (query: RunQuery, most: number) =>
      pages<Schema<'Run'>>(most, (page) => client.GET('/runs', { params: { query: { ...query, ...page } } })),
    pipelines: (query: PipelineQuery, most: number) =>
      pages<Schema<'Pipeline'>>(most, (page) => client.GET('/pipelines', { params: { query: { ...query, ...page } } })),
    gates: (query: GateQuery, most: number) =>
      pages<Schema<'WaitingGate'>>(most, (page) =>
        client.GET('/approvals', { params: { query: { ...query, ...page } } }),
      ),
    audit: (query: AuditQuery, most: number) =>
      pages<Schema<'AuditRecord'>>(most, (page) =>
        client.GET('/console/api/audit', { params: { query: { ...query, ...page } } }),
      ),
    users: (most: number) =>
      pages<Schema<'User'>>(most, (page) => client.GET('/admin/users', { params: { query: page } })),
    /** starts that a halt has refused */
    refusedStarts: (id: string, most: number) =>
      pages<Schema<'RefusedStart'>>(most, (page) =>
        client.GET('/console/api/halts/{id}/refused', { params: { path: { id }, query: page } }),
      ),
    workspaces: (most: number) =>
      pages<Schema<'Workspace'>>(most, (page) => client.GET('/workspaces', { params: { query: page } })),
    deliveries: (query: DeliveryQuery, most: number) =>
      pages<Schema<'NoticeDelivery'>>(most, (page) =>
        client.GET('/deliveries', { params: { query: { ...query, ...page } } }),
      ),
    runDeliveries: (id: string, most: number) =>
      pages<Schema<'NoticeDelivery'>>(most, (page) =>
        client.GET('/runs/{id}/deliveries', { params: { path: { id }, query: page } }),
      ),
    schedules: async () =>
      (await pages<Schema<'Schedule'>>(WHOLE, (page) => client.GET('/triggers/scheduled', { params: { query: page } })))
        .items,
    apiKeys: async () =>
      (await pages<Schema<'ApiKey'>>(WHOLE, (page) => client.GET('/admin/api-keys', { params: { query: page } })))
        .items,
  }
}

async function pages<Item>(
  most: number,
  ask: (page: { limit: number; cursor?: string }) => Promise<{ data?: Item[]; response: Response }>,
): Promise<Listed<Item>> {
  const items: Item[] = []
  let total: Listed<Item>['total']
  for (let cursor: string | undefined; ; ) {
    const limit = Math.min(PAGE, most - items.length)
    const { data, response } = await ask({ limit, ...(cursor !== undefined && { cursor }) })
    if (!Array.isArray(data)) throw new DomainError('dependency_unavailable', 'what answers there is not the service')
    items.push(...data)
    total ??= totalOf(response.headers)
    cursor = cursorOf(response.headers.get('link'))
    if (cursor === undefined || items.length >= most) return { items, ...(total !== undefined && { total }) }
  }
}

function totalOf(headers: Headers): Listed<unknown>['total'] {
  const exact = headers.get('x-total-count')
  const least = headers.get('x-total-at-least')
  if (exact !== null) return { count: Number(exact), at_least: false }
  return least === null ? undefined : { count: Number(least), at_least: true }
}

/** RFC 8288. */
function cursorOf(link: string | null): string | undefined {
  const target = /<([^<>]*)>;\s*rel="next"/.exec(link ?? '')?.[1]
  if (target === undefined) return undefined
  return new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('cursor') ?? undefined
}
