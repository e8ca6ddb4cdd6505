import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { api, given, yamlRequest } from '../../lib/api.ts'
import { POLICIES } from '../../strings/policies.ts'

export type Policy = Schema<'PolicyListed'>
export type ConsolePolicy = Schema<'ConsolePolicy'>
export type Rehearsal = Schema<'PolicyRehearsal'>
export type Environment = Schema<'Environment'>

export const policiesQuery = queryOptions({
  queryKey: ['policies'],
  queryFn: async ({ signal }) => given(await api.GET('/console/api/policies', { signal })),
})

/** Every text of the console, by name; there are at most 200. */
export const authoredQuery = queryOptions({
  queryKey: ['policies', 'authored'],
  queryFn: async ({ signal }) => given(await api.GET('/ui/api/policies', { signal })),
})

export function touchesQuery(name: string) {
  return queryOptions({
    queryKey: ['policies', 'touches', name],
    queryFn: async ({ signal }) =>
      given(await api.GET('/console/api/policies/{name}/explain', { params: { path: { name } }, signal })),
  })
}

export const environmentsQuery = queryOptions({
  queryKey: ['environments'],
  queryFn: async ({ signal }) => given(await api.GET('/ui/api/environments', { signal })),
})

/** Those that runs of the workspace may use; who may enter all workspaces is told of more. */
export const grantedEnvironmentsQuery = queryOptions({
  ...environmentsQuery,
  select: (all: Environment[]) => all.filter(({ granted }) => granted),
})

export const templatesQuery = queryOptions({
  queryKey: ['packs'],
  queryFn: async ({ signal }) => given(await api.GET('/packs', { signal })),
})

/** The outcome of a template in each of these environments. */
export function forecastQuery(template: string, environments: readonly string[]) {
  return queryOptions({
    queryKey: ['policies', 'forecast', template, environments],
    enabled: template !== '',
    queryFn: ({ signal }) =>
      Promise.all(
        environments.map(async (environment) =>
          given(await api.POST('/console/api/policies/simulate', { body: { environment, template }, signal })),
        ),
      ),
  })
}

/** The effect of a text on recorded runs, if it were saved and attached like this. */
export function rehearsalQuery(draft: { document: string; name?: string | undefined; attach: string[] }) {
  const { document, name, attach } = draft
  return queryOptions({
    queryKey: ['rehearsal', document, name, attach],
    queryFn: async ({ signal }) => {
      const body = { document, attach, ...(name !== undefined && { name }) }
      return given(await api.POST('/console/api/policies/rehearse', { body, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

export async function readPolicy(name: string): Promise<ConsolePolicy> {
  return given(await api.GET('/ui/api/policies/{name}', { params: { path: { name } } })) as ConsolePolicy
}

export async function writePolicy(name: string | undefined, text: string, etag: string | undefined) {
  if (name === undefined) return given(await api.POST('/ui/api/policies', yamlRequest(text))) as ConsolePolicy
  const params = { path: { name }, ...(etag !== undefined && { header: { 'if-match': etag } }) }
  return given(await api.PUT('/ui/api/policies/{name}', { params, ...yamlRequest(text) })) as ConsolePolicy
}

export async function deletePolicy({ name, etag }: Pick<ConsolePolicy, 'name' | 'etag'>) {
  const params = { path: { name }, header: { 'if-match': etag } }
  return given(await api.DELETE('/ui/api/policies/{name}', { params }))
}

/** Attaches the policy to these environments and detaches it from all others. */
export async function attachTo(name: string, wanted: readonly string[], environments: readonly Environment[]) {
  for (const environment of environments) {
    const isAttached = environment.policies.includes(name)
    if (isAttached === wanted.includes(environment.name)) continue
    const others = environment.policies.filter((each) => each !== name)
    const changed = api.PUT('/ui/api/environments/{name}/policies', {
      params: { path: { name: environment.name }, header: { 'if-match': environment.etag } },
      body: { policies: isAttached ? others : [...others, name] },
    })
    // the text is saved already, so that this is no conflict about it
    await changed.catch((error: Error) => {
      throw new Error(POLICIES.editor.not_attached(environment.name, error.message))
    })
  }
}
