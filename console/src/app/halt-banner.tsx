import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { OctagonX } from 'lucide-react'
import { Ago } from '../components/time.tsx'
import { haltsQuery } from '../features/admin/api.ts'
import { scopeText } from '../features/admin/halt-scope.ts'
import { workspacesQuery } from '../lib/account-queries.ts'
import { useMe } from '../lib/use-me.ts'
import { STRINGS } from '../strings.ts'

/** What is halted, with who, why and since when, on every page: first what the workspace on the screen is held by. */
export function HaltBanner() {
  const { workspace } = useMe()
  const { data: halts = [] } = useQuery(haltsQuery)
  const { data: workspaces } = useQuery(workspacesQuery)
  const first = halts.find(({ scope }) => scope.workspace === undefined || scope.workspace === workspace) ?? halts[0]
  if (first === undefined) return null
  return (
    <aside
      aria-label={STRINGS.stop.banner}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-destructive/30 bg-destructive-soft px-4 py-2 text-sm text-destructive print:hidden"
    >
      <OctagonX aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 break-words">
        <b>{STRINGS.stop.halted(scopeText(first.scope, workspaces))}</b> <bdi>{first.reason}</bdi> · {first.by.display}{' '}
        · <Ago at={first.created_at} />
        {halts.length > 1 && (
          <>
            {' · '}
            <Link to="/admin" search={{ part: 'halts' }} className="underline underline-offset-4">
              {STRINGS.stop.more(halts.length - 1)}
            </Link>
          </>
        )}
      </p>
      <Link to="/admin" search={{ part: 'halts', name: first.id }} className="font-medium underline underline-offset-4">
        {STRINGS.stop.look}
      </Link>
    </aside>
  )
}
