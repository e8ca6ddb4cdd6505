import type { ReactNode } from 'react'
import { ApiError } from '../lib/api.ts'
import { STRINGS } from '../strings.ts'

const { states } = STRINGS

export function Loading() {
  return (
    <p role="status" className="p-4 text-soft">
      {states.loading}
    </p>
  )
}

export function Empty({ children }: { children: ReactNode }) {
  return <p className="rounded border border-line bg-sunk p-6 text-center text-soft">{children}</p>
}

/** Shown by a page in place of data that failed to load, in the API's own words. */
export function Failed({ error, again }: { error: unknown; again?: () => void }) {
  const status = error instanceof ApiError ? error.status : undefined
  if (status === 404) return <Empty>{states.not_found}</Empty>
  const title = status === 403 ? states.forbidden : status === 0 ? states.offline : states.failed
  return (
    <div role="alert" className="rounded border border-line bg-sunk p-4">
      <p className="font-medium text-bad">{title}</p>
      {status !== 0 && <p className="text-soft">{error instanceof Error ? error.message : String(error)}</p>}
      {again !== undefined && status !== 403 && (
        <button type="button" onClick={again} className="mt-2 rounded border border-line px-3 py-1">
          {states.again}
        </button>
      )}
    </div>
  )
}
