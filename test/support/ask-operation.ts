import type { Route } from '#api/define-route.ts'
import type { GuardWorld } from './guard-world.ts'
import type { ExampleRequest } from './operation-examples.ts'

/** A request as it goes out; `text` takes the place of the body, and `prefix` stands before the path. */
export type Sent = ExampleRequest & { text?: string; prefix?: string }

/** Asks an operation as somebody of the world. */
export async function ask(
  world: GuardWorld,
  route: Pick<Route, 'path' | 'method'>,
  request: Sent,
  who: string,
): Promise<Response> {
  const { params = {}, query, body, form, headers = {}, text, prefix = '' } = request
  const path = route.path.replace(/\{(\w+)\}/g, (_all, name: string) => params[name] ?? '')
  const sent = text ?? (form ? new URLSearchParams(form).toString() : body && JSON.stringify(body))
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
  return await world.api.app.request(`${prefix}${path}${query ? `?${new URLSearchParams(query)}` : ''}`, {
    method: route.method.toUpperCase(),
    headers: { ...(sent !== undefined && { 'content-type': type }), ...world.as(who), ...headers },
    ...(sent !== undefined && { body: sent }),
  })
}
