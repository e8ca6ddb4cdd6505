import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import type { Run } from '../runs/api.ts'
import { lineageQuery, startAgain } from './api.ts'
import { Repeats, repeatsIn } from './repeats.tsx'

const words = STRINGS.run.start_again
/** A retry that ended so leaves room for another one. */
const UNDONE: readonly string[] = ['rejected', 'cancelled', 'expired'] satisfies Run['status'][]
const ENDED: readonly string[] = ['succeeded', 'failed', 'rejected', 'cancelled', 'expired'] satisfies Run['status'][]

const RELOAD_MS = 5_000

const isRetryUnderWay = ({ trigger, status }: { trigger?: string; status: Run['status'] }) =>
  trigger === 'retry' && !ENDED.includes(status)

/** Starts an ended run again, from its first step or from the one that failed: as a new run, judged again. */
export function StartAgain({ run }: { run: Run }) {
  const me = useMe()
  const client = useQueryClient()
  const navigate = useNavigate()
  const isEnded = ENDED.includes(run.status)
  const { data: lineage } = useQuery({
    ...lineageQuery(run),
    enabled: isEnded,
    refetchInterval: ({ state }) => (state.data?.led_to.some(isRetryUnderWay) ? RELOAD_MS : false),
  })
  // sent once more after a lost answer, it is the same start
  const key = useRef(`${run.id}.${Date.now().toString(36)}`)
  const start = useMutation({
    mutationFn: (how: keyof typeof words) => startAgain(run.id, how, `${how}.${key.current}`),
    onSuccess: ({ id }, how) => {
      tell(words[how].done)
      return navigate({ to: '/runs/$id', params: { id } })
    },
    // who was refused may not know yet of the run that stands against it
    onError: () => client.invalidateQueries({ queryKey: ['lineage', run.id] }),
  })
  if (!isEnded) return null
  const repeats = repeatsIn(lineage)
  const isRetried = repeats.some(({ trigger, status }) => trigger === 'retry' && !UNDONE.includes(status))
  // what it would do is still being done, and may wait for an approval
  const isUnderWay = repeats.some(isRetryUnderWay)
  const done = <Repeats runs={repeats} />
  if (!me.isOperator)
    return (
      <>
        {done}
        {run.status === 'failed' && !isRetried && (
          <p className="text-sm text-muted-foreground">{STRINGS.run.who_retries}</p>
        )}
      </>
    )
  const button = (how: 'whole' | 'retry') => (
    <Confirm
      {...words[how]}
      variant={how === 'retry' ? 'default' : 'outline'}
      busy={start.isPending}
      onYes={() => start.mutate(how)}
    />
  )
  return (
    <>
      {done}
      {run.status === 'failed' && !isRetried && button('retry')}
      {!isUnderWay && button('whole')}
      <Refusal error={start.error} />
    </>
  )
}
