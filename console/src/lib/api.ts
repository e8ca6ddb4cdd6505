import { createClient } from '#client/create-client.ts'
import { STRINGS } from '../strings.ts'
import { API_URL } from './places.ts'

export interface Fault {
  msg: string
  /** the field in the body */
  loc?: readonly (string | number)[]
  line?: number
  column?: number
}

/** A refusal, or no answer at all (status 0). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** faults of a body, with their places, as far as the API reports them */
  readonly errors: readonly Fault[]
  /** the answer, unchanged */
  readonly body: unknown

  constructor(status: number, code: string, message: string, body?: unknown) {
    super(message)
    this.status = status
    this.code = code
    this.errors = faultsOf(body)
    this.body = body
  }
}

/** Headers of every call; `session.ts` sets the user and the workspace. */
export const credentials: { csrf: string | null; workspace: string | null } = { csrf: null, workspace: null }

/** Names the workspace of a call that is not for the chosen one. */
export const WORKSPACE_HEADER = 'x-svc-workspace'

/** Paths that are called before the workspace is known. */
const ABOVE_WORKSPACES: ReadonlySet<string | undefined> = new Set(['/console/api/session', '/workspaces'])

let onSignedOut = () => {}

/** Calls back when the API no longer knows who this is. */
export function whenSignedOut(tell: () => void): void {
  onSignedOut = tell
}

/** Sends one call with the credentials of the console; throws an `ApiError` on an error. */
export async function send(request: Request, path?: string): Promise<Response> {
  const { csrf, workspace } = credentials
  if (csrf !== null) request.headers.set('x-svc-csrf', csrf)
  const isElsewhere = ABOVE_WORKSPACES.has(path) || request.headers.has(WORKSPACE_HEADER)
  if (workspace !== null && !isElsewhere) request.headers.set(WORKSPACE_HEADER, workspace)
  const response = await fetch(request).catch((error: unknown) => {
    if (request.signal.aborted) throw error
    // the browser's message is not for people
    throw new ApiError(0, 'unreachable', STRINGS.states.offline)
  })
  if (response.ok) return response
  if (response.status === 401 && csrf !== null) onSignedOut()
  throw await refusalOf(response)
}

async function refusalOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  const { code, detail, title } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  return new ApiError(response.status, String(code ?? 'unknown'), String(detail ?? title ?? response.statusText), body)
}

function faultsOf(body: unknown): Fault[] {
  const { errors } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  return Array.isArray(errors) ? (errors as Fault[]) : []
}

/** The only way to the API. */
export const api = createClient({ url: API_URL, send })

/** Returns the body of an answer; an error has thrown before. */
export function given<Data>({ data }: { data?: Data | undefined }): Data {
  if (data === undefined) throw new ApiError(0, 'empty', 'The answer is empty.')
  return data
}

/** A document as it was written, in place of what the client would make of it. */
export function yamlRequest(text: string) {
  return {
    body: text as never,
    bodySerializer: (body: unknown) => String(body),
    headers: { 'content-type': 'text/yaml' },
  } as const
}
