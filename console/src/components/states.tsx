import { CircleAlert, Inbox } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '../lib/api.ts'
import { STRINGS } from '../strings.ts'
import { Button } from './button.tsx'

const { states } = STRINGS

/** Grey lines in the place of what is being loaded. */
export function Loading() {
  return (
    <div role="status" className="animate-pulse space-y-3 py-2 motion-reduce:animate-none">
      <span className="sr-only">{states.loading}</span>
      {['w-2/5', 'w-full', 'w-5/6', 'w-3/4'].map((width) => (
        <div key={width} className={`h-4 rounded bg-muted ${width}`} />
      ))}
    </div>
  )
}

/** A list without entries: what that means, and what one can do next. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed px-6 py-10 text-center text-muted-foreground">
      <Inbox aria-hidden className="size-6" />
      <p className="max-w-prose">{children}</p>
      {action}
    </div>
  )
}

/** Shown by a page in place of data that failed to load, in the API's own words. */
export function Failed({ error, again }: { error: unknown; again?: () => void }) {
  const status = error instanceof ApiError ? error.status : undefined
  if (status === 404) return <Empty>{states.not_found}</Empty>
  const title = status === 403 ? states.forbidden : status === 0 ? states.offline : states.failed
  return (
    <div role="alert" className="flex items-start gap-3 rounded-lg border border-destructive/40 p-4">
      <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-destructive" />
      <div className="min-w-0">
        <p className="font-medium text-destructive">{title}</p>
        {status !== 0 && (
          <p className="break-words text-muted-foreground">{error instanceof Error ? error.message : String(error)}</p>
        )}
        {again !== undefined && status !== 403 && (
          <Button onClick={again} size="sm" className="mt-2">
            {states.again}
          </Button>
        )}
      </div>
    </div>
  )
}
