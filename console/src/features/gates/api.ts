import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query } from '#client/create-client.ts'
import type { Schema } from '../../../../client/create-client.ts'
import { ApiError, api, given } from '../../lib/api.ts'
import { pagingOf } from '../../lib/paging.ts'
import { readSearch } from '../../lib/read-search.ts'
import { textQuery } from '../../lib/text.ts'

export type WaitingGate = Schema<'WaitingGate'>
export type PendingApproval = Schema<'PendingApproval'>
export type Decision = WaitingGate['you_may'][number]
export type Outcome = Schema<'ApprovalOutcome'>
export type Dismissal = Schema<'DismissalOutcome'>

const FRESH_MS = 2_000
const RELOAD_MS = 5_000
const COUNTED_MS = 10_000
/** as many as a list gives at once, so that a storm is one group */
const PAGE = 200
/** runs of the same template that are not of the group */
const SOME_MORE = 50

/** A page of the queue, reloaded while it is shown. */
export function gatesQuery(search: GatesSearch) {
  return queryOptions({
    queryKey: ['gates', search],
    queryFn: async ({ signal }) => {
      const query = textQuery('/approvals', { ...search, limit: PAGE })
      const answer = await api.GET('/approvals', { params: { query }, signal })
      return { gates: given(answer), ...pagingOf(answer.response.headers) }
    },
    refetchInterval: FRESH_MS,
    placeholderData: keepPreviousData,
  })
}

/** The number of open gates, for other pages. */
export const waitingQuery = queryOptions({
  queryKey: ['gates', 'count'],
  queryFn: async ({ signal }) => {
    const answer = await api.GET('/approvals', { params: { query: { limit: 1 } }, signal })
    return pagingOf(answer.response.headers)
  },
  refetchInterval: COUNTED_MS,
})

/** The open gate of a run, reloaded while it is shown. */
export function pendingQuery(run_id: string) {
  return queryOptions({
    queryKey: ['gate', run_id],
    queryFn: async ({ signal }) =>
      given(await api.GET('/runs/{id}/pending-approval', { params: { path: { id: run_id } }, signal })),
    refetchInterval: RELOAD_MS,
    gcTime: 0,
  })
}

/** How the runs of equal gates go on, as far as they are among the newest of their template. */
export function runsOfGroupQuery(rows: readonly WaitingGate[]) {
  const { pack, template, environment } = rows[0] ?? {}
  const limit = Math.min(PAGE, 2 * rows.length + SOME_MORE)
  const query = textQuery('/runs', { pack, template, environment, limit })
  return queryOptions({
    queryKey: ['runs of a group', query],
    queryFn: async ({ signal }) =>
      new Map(given(await api.GET('/runs', { params: { query }, signal })).map(({ id, status }) => [id, status])),
    refetchInterval: RELOAD_MS,
  })
}

/** True when the run has no open gate. */
export function hasNoGate(error: unknown): boolean {
  return error instanceof ApiError && ['run_not_awaiting', 'gate_resolved', 'not_found'].includes(error.code)
}

export interface Answer {
  /** the gate as shown: another gate or another plan is refused */
  gate: Pick<PendingApproval, 'run_id' | 'gate_id' | 'plan_hash'>
  decision: Decision
  note: string
  /** the idempotency key: a repeat of a lost answer is the same answer */
  key: string
}

export async function decide({ gate, decision, note, key }: Answer): Promise<Outcome> {
  const { run_id, gate_id, plan_hash } = gate
  const body = { decision, gate_id, plan_hash, ...(note.trim() === '' ? {} : { note: note.trim() }) }
  return given(
    await api.POST('/runs/{id}/resume', { params: { path: { id: run_id }, header: { 'idempotency-key': key } }, body }),
  )
}

/** Shows others that the user is looking at a gate; no vote. */
export async function acknowledge(id: string): Promise<void> {
  await api.POST('/approvals/{id}/acknowledge', { params: { path: { id } } })
}

export async function comment(id: string, text: string): Promise<void> {
  await api.POST('/approvals/{id}/comments', { params: { path: { id } }, body: { text } })
}

export function newKey(gate_id: string): string {
  return `${gate_id}.${Date.now().toString(36)}.${Math.random().toString(36).slice(2)}`
}

export interface StaleSelection {
  older_than_hours: number
  pack?: string
  environment?: string
  reason: string
}

/** Finds the matching gates and returns a token for them; with that token it dismisses exactly those. */
export async function dismiss(selection: StaleSelection, token?: string): Promise<Dismissal> {
  const body = { ...selection, ...(token === undefined ? { dry_run: true } : { token }) }
  return given(await api.POST('/approvals/dismiss', { body }))
}

export async function readEvidence(ref: string): Promise<Schema<'RunStepDetail'>> {
  const [, id, step] = /^\/runs\/([^/]+)\/steps\/([^/]+)$/.exec(ref) ?? []
  if (id === undefined || step === undefined) throw new ApiError(0, 'unknown', ref)
  const path = { id: decodeURIComponent(id), step: decodeURIComponent(step) }
  return given(await api.GET('/runs/{id}/steps/{step}', { params: { path } }))
}

/** The filters of the queue, in its address and in `GET /approvals`. */
export const FILTERS = [
  'q',
  'awaiting_me',
  'risk',
  'environment',
  'template',
] as const satisfies (keyof Query<'/approvals'>)[]
export type GateFilter = (typeof FILTERS)[number]
export type GatesSearch = Partial<Record<GateFilter | 'cursor' | 'gate', string>>

export const readGatesSearch = (given: Record<string, unknown>): GatesSearch =>
  readSearch([...FILTERS, 'cursor', 'gate'], given)
