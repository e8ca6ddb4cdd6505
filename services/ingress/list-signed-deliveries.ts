import { findIngress } from '#core/ingress/ingress.ts'
import { traceDelivery } from '#core/ingress/trace-delivery.ts'
import type { DeliveryTrace } from '#core/ingress/trace-schema.ts'
import type { ServiceContext } from '../context.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import type { ReadPorts } from '../read-ports.ts'

/** Signed deliveries of the workspace with their stages, newest first, a page at a time; all, or those of one ingress. */
export async function listSignedDeliveries(
  { packs, records, workspace_id }: Pick<ServiceContext, 'packs' | 'workspace_id'> & Pick<ReadPorts, 'records'>,
  { ingress, ...page }: PageRequest & { ingress?: string | undefined },
): Promise<ListPage<DeliveryTrace>> {
  const [pack, name] = ingress?.split('/') ?? []
  const filter = { workspace_id, pack, name }
  const loaded = packs.list()
  return readPage(page, {
    prefix: 'dlv',
    rows: (place) => records.list(filter, place),
    count: (up_to) => records.count(filter, up_to),
    toItem: (record) => traceDelivery(record, findIngress(loaded, record.pack, record.name)?.verify),
  })
}
