import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import type { Run } from '../runs/api.ts'
import { repeatRun } from './api.ts'

const words = STRINGS.run.repeat
const ENDED: readonly string[] = ['succeeded', 'failed', 'rejected', 'cancelled', 'expired'] satisfies Run['status'][]

/** Starts an ended run again, or retries a failed one from the step that failed: as a new run, judged again. */
export function RepeatRun({ run }: { run: Run }) {
  const me = useMe()
  const navigate = useNavigate()
  // a repeat after a lost answer is the same start
  const key = useRef(`${run.id}.${Date.now().toString(36)}`)
  const repeat = useMutation({
    mutationFn: (how: keyof typeof words) => repeatRun(run.id, how, `${how}.${key.current}`),
    onSuccess: ({ id }, how) => {
      tell(words[how].done)
      return navigate({ to: '/runs/$id', params: { id } })
    },
  })
  if (!me.isOperator || !ENDED.includes(run.status)) return null
  const button = (how: 'again' | 'retry') => (
    <Confirm
      {...words[how]}
      variant={how === 'retry' ? 'default' : 'outline'}
      busy={repeat.isPending}
      onYes={() => repeat.mutate(how)}
    />
  )
  return (
    <>
      {run.status === 'failed' && button('retry')}
      {button('again')}
      <Refusal error={repeat.error} />
    </>
  )
}
