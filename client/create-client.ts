import createFetchClient, { type Client } from 'openapi-fetch'
import type { components, paths } from './api.generated.ts'

/** A record of the API by its name in the description. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/** The query of a list, by its path in the description. */
export type Query<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Given } } }
  ? NonNullable<Given>
  : never

export interface ClientOptions {
  /** without a slash at its end */
  url: string
  /** sends a request to a path of the description, with further members of the caller; throws on an error of the API */
  send(request: Request, path: keyof paths): Promise<Response>
}

/** The API, typed from its description: `client.GET('/runs/{id}', { params: { path: { id } } })`. */
export function createClient({ url, send }: ClientOptions): Client<paths, 'application/json'> {
  const client = createFetchClient<paths, 'application/json'>({ baseUrl: url })
  client.use({ onRequest: ({ request, schemaPath }) => send(request, schemaPath as keyof paths) })
  return client
}
