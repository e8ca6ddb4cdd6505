import { queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { api, given } from '../../lib/api.ts'
import type { Run } from '../runs/api.ts'

export type StepDetail = Schema<'RunStepDetail'>
export type Artifact = Schema<'Artifact'>
export type RunContext = Schema<'RunContext'>

/** The past changes slowly. */
const CONTEXT_MS = 30_000

const of = (id: string) => ({ params: { path: { id } } })

export function stepQuery(id: string, step: string) {
  return queryOptions({
    queryKey: ['run', id, 'step', step],
    queryFn: async ({ signal }) =>
      given(await api.GET('/runs/{id}/steps/{step}', { params: { path: { id, step } }, signal })),
  })
}

export function artifactsQuery(id: string) {
  return queryOptions({
    queryKey: ['run', id, 'artifacts'],
    queryFn: async ({ signal }) => given(await api.GET('/runs/{id}/artifacts', { ...of(id), signal })),
  })
}

export function reportQuery(id: string, digest: string) {
  return queryOptions({
    queryKey: ['report', id, digest],
    queryFn: async ({ signal }) => given(await api.GET('/runs/{id}/report', { ...of(id), signal, parseAs: 'text' })),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Reloaded when the run changes. */
export function lineageQuery({ id, status, gates }: Pick<Run, 'id' | 'status' | 'gates'>) {
  return queryOptions({
    queryKey: ['lineage', id, status, gates.length],
    queryFn: async ({ signal }) => given(await api.GET('/runs/{id}/lineage', { ...of(id), signal })),
  })
}

export function contextQuery(id: string) {
  return queryOptions({
    queryKey: ['run', id, 'context'],
    queryFn: async ({ signal }) => given(await api.GET('/runs/{id}/context', { ...of(id), signal })),
    staleTime: CONTEXT_MS,
  })
}

/** The document as it was served: its bytes are checked. */
export async function readEvidenceFile(id: string): Promise<Blob> {
  const { params } = of(id)
  return given(await api.GET('/runs/{id}/evidence', { params, parseAs: 'blob' }))
}

/** By the service: the page may not read from a bucket. */
export async function readArtifact(id: string, name: string): Promise<Blob> {
  const params = { path: { id }, query: { name, redirect: 'false' as const } }
  return given(await api.GET('/runs/{id}/artifacts/download', { params, parseAs: 'blob' }))
}

/** Starts the run again from its first step, or from the one that failed; answers with the new run. */
export async function startAgain(id: string, how: 'whole' | 'retry', key: string): Promise<Run> {
  const params = { ...of(id).params, header: { 'idempotency-key': key } }
  return given(
    how === 'whole'
      ? await api.POST('/runs/{id}/start-again', { params, body: {} })
      : await api.POST('/runs/{id}/retry', { params, body: {} }),
  )
}

export type Ending = 'cancel' | 'expire'

interface Why {
  reason: string
  /** the gate as shown */
  gate_id?: string | undefined
}

export async function endRun(id: string, ending: Ending, { reason, gate_id }: Why): Promise<void> {
  if (ending === 'cancel') await api.POST('/runs/{id}/cancel', { ...of(id), body: reason === '' ? {} : { reason } })
  else await api.POST('/runs/{id}/expire', { ...of(id), body: { reason, ...(gate_id !== undefined && { gate_id }) } })
}
