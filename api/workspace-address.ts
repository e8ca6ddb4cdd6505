/** `/workspaces/{id}/<path>` as its two parts. The path that is left is routed like any other (spec section 4). */
export interface Addressed {
  path: string
  workspace_id: string | undefined
}

const PREFIX = /^\/workspaces\/([^/]+)(\/.+)$/

/** Strips the workspace from a path, once: the rest never names another one by prefix. */
export function addressOf(path: string): Addressed {
  const found = PREFIX.exec(path)
  const [, workspace_id, rest] = found ?? []
  return rest === undefined ? { path, workspace_id: undefined } : { path: rest, workspace_id }
}
