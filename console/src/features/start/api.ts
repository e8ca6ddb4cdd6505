import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { api, given } from '../../lib/api.ts'

export type Template = Schema<'PackTemplate'>
export type Contract = Schema<'TemplateContract'>
export type Preset = Schema<'Preset'>
export type Preflight = Schema<'Preflight'>
export type WorkflowConfig = Schema<'WorkflowConfig'>
export type DryRunReport = Schema<'DryRunReport'>
export type NewSchedule = Schema<'ScheduleDraft'>
export type Inputs = Record<string, unknown>
export type PresetKind = 'config' | 'input'

export interface Of {
  pack: string
  template: string
}

/** A start, by the current form. */
export interface StartRequest {
  inputs: Inputs
  environment?: string
  profile?: string
  config_preset?: string
}

const LOOK_MS = 500
const path = ({ pack, template }: Of) => ({ pack, tpl: template })

export function contractQuery(of: Of, environment?: string) {
  return queryOptions({
    queryKey: ['contract', of, environment],
    queryFn: async ({ signal }) => {
      const query = environment === undefined ? {} : { environment }
      return given(await api.GET('/packs/{pack}/{tpl}/contract', { params: { path: path(of), query }, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

export function configQuery(of: Of) {
  return queryOptions({
    queryKey: ['presets', 'workflow', of],
    queryFn: async ({ signal }) =>
      given(await api.GET('/console/api/workflows/{pack}/{tpl}/config', { params: { path: path(of) }, signal })),
  })
}

export function presetsQuery(kind: PresetKind, of: Of) {
  return queryOptions({
    queryKey: ['presets', kind, of],
    queryFn: async ({ signal }) =>
      given(await api.GET(`/console/api/${kind}-presets`, { params: { query: { ...of } }, signal })),
  })
}

/** The previous result is shown until the next one has come; the previous request is aborted. */
export function preflightQuery(of: Of, request: StartRequest) {
  return queryOptions({
    queryKey: ['preflight', of, request],
    queryFn: async ({ signal }) =>
      given(
        await api.POST('/packs/{pack}/{tpl}/preflight', { params: { path: path(of) }, body: { ...request }, signal }),
      ),
    placeholderData: keepPreviousData,
    // it may contain secrets
    gcTime: 0,
  })
}

/** A dry run until it has ended. */
export function dryRunQuery(id: string) {
  return queryOptions({
    queryKey: ['dry-run', id],
    queryFn: async ({ signal }) => given(await api.GET('/runs/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.ended_at === undefined ? LOOK_MS : false),
  })
}

export async function validate(of: Of, { inputs, config_preset }: StartRequest) {
  const body = { inputs, ...(config_preset !== undefined && { config_preset }) }
  return given(await api.POST('/packs/{pack}/{tpl}/validate', { params: { path: path(of) }, body }))
}

/** The same key returns the same run, however often it is sent. */
export async function startRun(of: Of, body: Schema<'RunRequest'>, key: string) {
  const params = { path: path(of), header: { 'idempotency-key': key } }
  return given(await api.POST('/packs/{pack}/{tpl}/run', { params, body }))
}

export async function createSchedule(body: NewSchedule) {
  return given(await api.POST('/triggers/scheduled', { body }))
}

export async function savePreset(kind: PresetKind, draft: Of & { name: string; inputs: Inputs }): Promise<Preset> {
  const { inputs, ...rest } = draft
  return given(await api.POST(`/console/api/${kind}-presets`, { body: { ...rest, values: { inputs } } }))
}

export async function editPreset({ kind, id, etag }: Preset, edit: Schema<'PresetEdit'>): Promise<Preset> {
  const params = { path: { id }, header: { 'if-match': etag } }
  return given(await api.PATCH(`/console/api/${kind}-presets/{id}`, { params, body: edit }))
}

export async function makeDefault({ kind, id, etag }: Preset): Promise<Preset> {
  const params = { path: { id }, header: { 'if-match': etag } }
  return given(await api.POST(`/console/api/${kind}-presets/{id}/default`, { params }))
}

export async function deletePreset({ kind, id, etag }: Preset): Promise<void> {
  await api.DELETE(`/console/api/${kind}-presets/{id}`, { params: { path: { id }, header: { 'if-match': etag } } })
}

export interface StartSearch {
  q?: string
}

/** Reads the known parameters of the address. */
export function readStartSearch(search: Record<string, unknown>): StartSearch {
  const { q } = search
  return typeof q === 'string' && q !== '' ? { q } : {}
}
