import type { TestApi } from './api-client.ts'

type Asking = Pick<TestApi, 'app'>
type Headers = Record<string, string>

export interface View {
  page: string
  name: string
  search: Record<string, string>
}

const PATH = '/console/api/views'

export const saveView = async (api: Asking, view: unknown, headers: Headers) =>
  await api.app.request(PATH, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(view),
  })

export const deleteView = async (api: Asking, named: { page: string; name: string }, headers: Headers) =>
  await api.app.request(`${PATH}?${new URLSearchParams(named)}`, { method: 'DELETE', headers })

export async function viewsOf(api: Asking, headers: Headers, page = 'gates'): Promise<View[]> {
  return (await (await api.app.request(`${PATH}?page=${page}`, { headers })).json()) as View[]
}
