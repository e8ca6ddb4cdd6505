import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import type { Run } from '../runs/api.ts'
import { startAgain } from './api.ts'

const words = STRINGS.run.start_again
const ENDED: readonly string[] = ['succeeded', 'failed', 'rejected', 'cancelled', 'expired'] satisfies Run['status'][]

/** Starts an ended run again, from its first step or from the one that failed: as a new run, judged again. */
export function StartAgain({ run }: { run: Run }) {
  const me = useMe()
  const navigate = useNavigate()
  // sent once more after a lost answer, it is the same start
  const key = useRef(`${run.id}.${Date.now().toString(36)}`)
  const start = useMutation({
    mutationFn: (how: keyof typeof words) => startAgain(run.id, how, `${how}.${key.current}`),
    onSuccess: ({ id }, how) => {
      tell(words[how].done)
      return navigate({ to: '/runs/$id', params: { id } })
    },
  })
  if (!ENDED.includes(run.status)) return null
  if (!me.isOperator)
    return run.status === 'failed' && <p className="text-sm text-muted-foreground">{STRINGS.run.who_retries}</p>
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
      {run.status === 'failed' && button('retry')}
      {button('whole')}
      <Refusal error={start.error} />
    </>
  )
}
