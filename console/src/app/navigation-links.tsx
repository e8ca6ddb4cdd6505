import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { waitingQuery } from '../features/gates/api.ts'
import { cn } from '../lib/cn.ts'
import { STRINGS } from '../strings.ts'
import { type Destination, GROUPS } from './navigation.ts'

/** The navigation of a wide screen, and of the menu on a phone. */
export function NavigationLinks({ onGo }: { onGo?: () => void }) {
  return (
    <nav aria-label={STRINGS.navigation.label} className="space-y-4">
      {GROUPS.map((group) => (
        <ul key={group[0]?.to} className="space-y-0.5">
          {group.map((destination) => (
            <li key={destination.to}>
              <NavigationLink
                destination={destination}
                onGo={onGo}
                className="flex min-h-9 items-center gap-2.5 rounded-md px-2.5 text-muted-foreground hover:bg-muted hover:text-foreground touch:min-h-11"
                active="bg-muted font-medium text-foreground"
                badge="ml-auto"
              />
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}

interface Props {
  destination: Destination
  onGo?: (() => void) | undefined
  className: string
  /** added on its own page */
  active: string
  /** where the number of open approvals stands */
  badge: string
}

export function NavigationLink({ destination: { to, name, icon: Icon }, onGo, className, active, badge }: Props) {
  return (
    <Link
      to={to}
      onClick={onGo}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      className={className}
      activeProps={{ className: cn(className, active) }}
    >
      <Icon aria-hidden className="size-4.5 shrink-0" />
      <span>{name}</span>
      {to === '/gates' && <Waiting className={badge} />}
    </Link>
  )
}

/** The number of open gates in the workspace, on any page. */
function Waiting({ className }: { className: string }) {
  const { data } = useQuery(waitingQuery)
  const count = data?.total ?? data?.at_least
  if (count === undefined || count === '0') return null
  return (
    <span
      className={cn('rounded-full bg-warning-soft px-1.5 text-xs font-medium text-warning tabular-nums', className)}
    >
      {count}
      <span className="sr-only"> {STRINGS.gates.waiting}</span>
    </span>
  )
}
