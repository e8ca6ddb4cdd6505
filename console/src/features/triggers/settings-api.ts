import { queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { api, given, yamlRequest } from '../../lib/api.ts'
import type { Version } from '../../lib/use-draft.ts'

export type Setting = Schema<'Environment'> | Schema<'Profile'>
export type SettingKind = 'environments' | 'profiles'

/** The routes of both kinds take the same and answer with what a setting has. */
interface Routes {
  list(signal: AbortSignal): Promise<Setting[]>
  get(name: string): Promise<Setting>
  create(draft: Version): Promise<Setting>
  update(name: string, draft: Version): Promise<Setting>
  remove(name: string, etag: string): Promise<unknown>
}

const at = (name: string, etag?: string) => ({
  params: { path: { name }, ...(etag !== undefined && { header: { 'if-match': etag } }) },
})

const ROUTES: Record<SettingKind, Routes> = {
  environments: {
    list: async (signal) => given(await api.GET('/ui/api/environments', { signal })),
    get: async (name) => given(await api.GET('/ui/api/environments/{name}', { params: { path: { name } } })),
    create: async ({ text }) => given(await api.POST('/ui/api/environments', yamlRequest(text))),
    update: async (name, { text, etag }) =>
      given(await api.PUT('/ui/api/environments/{name}', { ...at(name, etag), ...yamlRequest(text) })),
    remove: (name, etag) => api.DELETE('/ui/api/environments/{name}', at(name, etag)),
  },
  profiles: {
    list: async (signal) => given(await api.GET('/ui/api/profiles', { signal })),
    get: async (name) => given(await api.GET('/ui/api/profiles/{name}', { params: { path: { name } } })),
    create: async ({ text }) => given(await api.POST('/ui/api/profiles', yamlRequest(text))),
    update: async (name, { text, etag }) =>
      given(await api.PUT('/ui/api/profiles/{name}', { ...at(name, etag), ...yamlRequest(text) })),
    remove: (name, etag) => api.DELETE('/ui/api/profiles/{name}', at(name, etag)),
  },
}

export function settingsQuery(kind: SettingKind) {
  return queryOptions({ queryKey: [kind], queryFn: ({ signal }) => ROUTES[kind].list(signal) })
}

export function readSetting(kind: SettingKind, name: string): Promise<Setting> {
  return ROUTES[kind].get(name)
}

/** Without a name it is a new one. */
export function writeSetting(kind: SettingKind, name: string | undefined, draft: Version): Promise<Setting> {
  return name === undefined ? ROUTES[kind].create(draft) : ROUTES[kind].update(name, draft)
}

/** Deletes the console's document; the file's value stays. */
export async function deleteSetting(kind: SettingKind, { name, etag }: Pick<Setting, 'name' | 'etag'>): Promise<void> {
  await ROUTES[kind].remove(name, etag)
}
