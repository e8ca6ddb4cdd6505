import { DomainError, isFailure } from '#core/errors.ts'
import { ingressHeaders } from '#core/ingress/delivery-scope.ts'
import { findIngress, ingressId } from '#core/ingress/ingress.ts'
import { traceDelivery } from '#core/ingress/trace-delivery.ts'
import type { DeliveryTrace } from '#core/ingress/trace-schema.ts'
import type { Log } from '#core/log.ts'
import type { OpenedDelivery } from '#platform/ingress/ingress-authenticator.ts'
import type { IngressDeliveries } from '#store/alerts/ingress-deliveries.ts'
import type { ServiceContext } from '../context.ts'
import type { Received } from '../inbox/inbox-route.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import type { ReadPorts } from '../read-ports.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'
import type { IngressFacts } from './act-on-delivery.ts'
import type { ActedUpon } from './act-on-signal.ts'

/** The outcome of a delivery; a repeated delivery gets the same. */
export type IngressAnswer = ({ delivery_id: string } & ActedUpon) | Received

export interface IngressContext extends ServiceContext {
  deliveries: IngressDeliveries<IngressAnswer>
  workspaces: Pick<WorkspaceDirectory, 'find'>
  log: Pick<Log, 'warn'>
}

/** A verified delivery, with all of its headers. */
export type SignedArrival = OpenedDelivery & { headers: Iterable<[string, string]> }

/** An accepted delivery: its id, whether an earlier attempt may have done some of it, and facts besides its body. */
export interface TakenDelivery {
  id: string
  again: boolean
  facts: IngressFacts
}

/**
 * Takes a signed delivery once, by what makes two of them the same (the key of its proof). A repeat gets the first answer; `conflict`
 * while the first is still at work, `workspace_archived` where nothing may begin.
 */
export async function receiveIngress(
  ctx: IngressContext,
  arrival: SignedArrival,
  take: (delivery: TakenDelivery) => Promise<IngressAnswer>,
): Promise<IngressAnswer> {
  const { ingress, proof } = arrival
  const workspace = await ctx.workspaces.find(ctx.workspace_id)
  if (workspace?.status !== 'active')
    throw new DomainError('workspace_archived', 'The workspace is archived: nothing in it can change.')
  const facts = factsOf(arrival)
  const { confirm_url } = facts
  if (confirm_url !== undefined)
    ctx.log.warn({ ingress: ingressId(ingress), confirm_url }, 'a subscription waits for a person to open its address')
  const ref = {
    workspace_id: ctx.workspace_id,
    pack: ingress.pack,
    name: ingress.name,
    delivery_key: proof.key,
  }
  const fresh = ctx.ids.next('delivery')
  const state = await ctx.deliveries.begin(ref, fresh)
  if (state.kind === 'repeated') return state.answer
  if (state.kind === 'busy')
    throw new DomainError('conflict', 'This delivery is being handled; ask again.', { retry_after_s: 1 })
  const held = { ...ref, claim: state.claim }
  if (state.kind === 'kept') {
    const answer: Received = { delivery_id: state.delivery_id, outcome: 'received', results: [] }
    await ctx.deliveries.finish(held, answer)
    return answer
  }
  const again = state.kind === 'resumed'
  try {
    const answer = await take({ id: again ? state.delivery_id : fresh, again, facts })
    await ctx.deliveries.finish(held, answer)
    return answer
  } catch (error) {
    // a refusal has done nothing; after any other failure only a repeat can tell
    const isRefused = error instanceof DomainError && !isFailure(error.code) && error.code !== 'conflict'
    if (isRefused || !(await ctx.deliveries.handBack(held))) await ctx.deliveries.release(held)
    throw error
  }
}

function factsOf({ ingress, proof, headers }: SignedArrival): IngressFacts {
  const { provider_delivery_id, confirm_url } = proof
  return {
    headers: ingressHeaders(ingress, headers),
    ...(provider_delivery_id !== undefined && { provider_delivery_id }),
    ...(confirm_url !== undefined && { confirm_url }),
  }
}

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
