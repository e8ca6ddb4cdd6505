import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Failed } from '../../components/states.tsx'
import { useSettled } from '../../lib/use-now.ts'
import { START } from '../../strings/start.ts'
import { type Of, type Preflight, preflightQuery, type StartRequest } from './api.ts'

const words = START.preflight
const COLOURS = {
  pass: 'text-success',
  warn: 'text-warning',
  fail: 'text-destructive',
  skipped: 'text-muted-foreground',
} as const

type Check = Preflight['checks'][number]

interface Props {
  of: Of
  request: StartRequest
  /** nothing is filled in yet, so that missing inputs are no news */
  isUntouched: boolean
}

/** The preflight of a start, repeated when the typing pauses. */
export function PreflightView({ of, request, isUntouched }: Props) {
  // an object is another one with every letter
  const settled = useSettled(JSON.stringify(request))
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(
    preflightQuery(of, JSON.parse(settled) as StartRequest),
  )
  const checks = data?.checks.filter(({ id }) => !isUntouched || id !== 'inputs') ?? []
  const isAwaited = isUntouched && data?.verdict === 'blocked' && checks.every(({ status }) => status !== 'fail')
  const isOld = isPlaceholderData || settled !== JSON.stringify(request)
  return (
    <section aria-labelledby="preflight-title" className="rounded-lg border bg-card p-4">
      <h2 id="preflight-title" className="text-lg font-semibold">
        {words.title}
      </h2>
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {data !== undefined && error === null && (
        <>
          {isAwaited ? (
            <p role="status" className="text-muted-foreground">
              {words.awaited}
            </p>
          ) : (
            <p
              role="status"
              className={`font-medium ${data.verdict === 'ready' ? 'text-success' : 'text-destructive'}`}
            >
              {words[data.verdict]}
            </p>
          )}
          <ul className="my-2 space-y-2">
            {checks.map((check) => (
              <Finding key={check.id} check={check} environment={request.environment} />
            ))}
          </ul>
          <Gates gates={data.gates_expected} />
          <p className="mt-2">{words.estimate(data.estimate_usd)}</p>
        </>
      )}
      <p className="mt-2 min-h-5 text-sm text-muted-foreground">
        {isFetching && words.checking} {isOld && data !== undefined && words.stale}
      </p>
    </section>
  )
}

function Finding({
  check: { id, status, message, fix },
  environment,
}: {
  check: Check
  environment: string | undefined
}) {
  return (
    <li aria-label={words.checks[id]}>
      <span className="font-medium">{words.checks[id]}</span>{' '}
      <span className={`text-sm ${COLOURS[status]}`}>{words.status[status]}</span>
      <p className="break-words">{message}</p>
      {fix !== undefined && (
        <p className="break-words text-sm">
          <span className="font-medium">{words.fix}</span> {fix}
        </p>
      )}
      {(status === 'fail' || status === 'warn') && <Place id={id} environment={environment} />}
    </li>
  )
}

/** The place to fix it. */
function Place({ id, environment }: { id: Check['id']; environment: string | undefined }) {
  if (id === 'inputs') return null
  const look = 'text-sm link'
  const name = words.place[id]
  if (id === 'policy')
    return (
      <Link to="/policies" className={look}>
        {name}
      </Link>
    )
  if (id === 'halts' || id === 'budget' || id === 'caller') {
    const part = { halts: 'halts', budget: 'workspaces', caller: 'users' }[id]
    return (
      <Link to="/admin" search={{ part }} className={look}>
        {name}
      </Link>
    )
  }
  const search = {
    part: 'environments',
    ...(id !== 'environment' && environment !== undefined && { name: environment }),
  }
  return (
    <Link to="/triggers" search={search} className={look}>
      {name}
    </Link>
  )
}

function Gates({ gates }: { gates: Preflight['gates_expected'] }) {
  if (gates.length === 0) return <p>{words.no_gates}</p>
  return (
    <>
      <h3 className="font-semibold">{words.gates}</h3>
      <ul className="space-y-1">
        {gates.map(({ step, because, approval_roles }) => (
          <li key={step}>
            {words.before(step)}
            {approval_roles.length > 0 &&
              ` ${words.roles(approval_roles.map((clause) => clause.join(' or ')).join(' and '))}`}
            <span className="block break-words text-sm text-muted-foreground">{because.join('; ')}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
