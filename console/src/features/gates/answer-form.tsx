import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef } from 'react'
import { evidenceText } from '../../../../client/gate-text.ts'
import { Button, Keyed } from '../../components/button.tsx'
import { FIELD } from '../../components/field.tsx'
import { ApiError } from '../../lib/api.ts'
import { STRINGS } from '../../strings.ts'
import {
  type Decision,
  decide,
  hasNoGate,
  newKey,
  type Outcome,
  type PendingApproval,
  pendingQuery,
  type WaitingGate,
} from './api.ts'
import { Block } from './block.tsx'
import { Decided } from './decided.tsx'
import { takeFromQueue } from './take-from-queue.ts'

const words = STRINGS.gates.form
/** refusals after which the gate is another one than was shown */
const REREAD: ReadonlySet<string> = new Set([
  'gate_resolved',
  'run_not_awaiting',
  'not_found',
  'plan_changed',
  'conflict',
])

interface Props {
  /** exactly what was shown */
  approval: PendingApproval
  gate: WaitingGate
  decision: Decision
  note: string
  onNote: (note: string) => void
  onDone: (outcome: Outcome) => void
  /** called when another answer won */
  onLate: () => void
  onCancel: () => void
}

/** The form of one answer. It shows what will be done, sends exactly what was shown, and reports only the API's result. */
export function AnswerForm({ approval, gate, decision, note, onNote, onDone, onLate, onCancel }: Props) {
  const client = useQueryClient()
  const approving = decision === 'approve'
  const { operation, plan } = approval
  const mustConfirm = approving && approval.needs_confirmation
  // what the summary names is not said twice
  const others = operation.targets.ids.filter((id) => !plan.summary.includes(id))
  const title = useId()
  const { require_note } = approval.required
  const noted = require_note === 'always' || require_note === decision
  // a repeat after a lost reply sends the same answer
  const sent = useRef<{ note: string; key: string }>(undefined)
  const lostAt = useRef(0)
  const { dataUpdatedAt } = useQuery(pendingQuery(gate.run_id))
  const attempt = useMutation({
    mutationFn: () => {
      if (sent.current?.note !== note) sent.current = { note, key: newKey(approval.gate_id) }
      return decide({ gate: approval, decision, note, key: sent.current.key })
    },
    onSuccess: async (outcome) => {
      await takeFromQueue(client, [outcome])
      onDone(outcome)
    },
    onError(error) {
      lostAt.current = Date.now()
      if (!isLost(error)) sent.current = undefined
      if (hasNoGate(error)) onLate()
      if (error instanceof ApiError && REREAD.has(error.code))
        void client.invalidateQueries({ queryKey: ['gate', gate.run_id] })
    },
  })
  const form = useRef<HTMLFormElement>(null)
  // on a phone its button would be below the screen
  useEffect(() => form.current?.scrollIntoView({ block: 'nearest' }), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!attempt.isPending) attempt.mutate()
  }
  return (
    <form
      ref={form}
      aria-label={words[decision]}
      onSubmit={submit}
      className="my-3 scroll-mt-20 scroll-mb-20 rounded-lg border-2 border-primary p-4"
    >
      <h3 id={title} className="font-semibold">
        {words[decision]}: <bdi className="break-words">{plan.summary}</bdi>
      </h3>
      <p>{approving ? words.will(operation.environment, gate.environment_class, others.length > 0) : words.not}</p>
      {approving && others.length > 0 && <Block text={others.join('\n')} />}
      <WhatIsKnown approval={approval} />
      {approving && approval.missing.approvals > 1 && <p>{words.still(approval.missing.text)}</p>}
      {mustConfirm && (
        <label className="my-2 flex items-start gap-2 text-destructive">
          {/* biome-ignore lint/a11y/noAutofocus: it is asked first */}
          <input type="checkbox" required autoFocus aria-describedby={title} className="mt-1 size-4" />
          <span>
            {words.sure} {words.danger}
          </span>
        </label>
      )}
      <label className="mt-2 block">
        {noted ? words.note_required : words.note}
        <input
          // biome-ignore lint/a11y/noAutofocus: anyone who has begun to answer goes on here
          autoFocus={!mustConfirm}
          name="note"
          autoComplete="off"
          required={noted}
          maxLength={4_000}
          value={note}
          onChange={({ target }) => onNote(target.value)}
          className={FIELD}
        />
      </label>
      {attempt.error !== null &&
        (isLost(attempt.error) && dataUpdatedAt > lostAt.current ? (
          <p role="status" className="mt-3 rounded-lg border bg-muted p-3">
            {words.still_open}
          </p>
        ) : (
          <Refused error={attempt.error} approval={approval} />
        ))}
      <div className="mt-3 flex flex-wrap gap-3">
        <Button type="submit" variant={approving ? 'success' : 'destructive'} aria-disabled={attempt.isPending}>
          {attempt.isPending ? words.sending : words.send[decision]}
        </Button>
        <Button onClick={onCancel}>
          <Keyed text={words.cancel} />
        </Button>
      </div>
    </form>
  )
}

/** What was found, and what people say, which is below the fold. */
function WhatIsKnown({ approval: { evidence, comments } }: { approval: PendingApproval }) {
  const found = evidenceText({ evidence })
  return (
    <>
      {found !== '' && (
        <p className="line-clamp-2 text-sm wrap-anywhere">
          {STRINGS.gates.details.evidence}: <bdi title={found}>{found}</bdi>
        </p>
      )}
      {comments.map(({ by, name, at, text }) => (
        <p key={`${by} ${at}`} className="text-sm font-medium wrap-anywhere text-warning">
          <bdi>{STRINGS.gates.remarks.newest(1, name)}</bdi> <bdi>{text}</bdi>
        </p>
      ))}
    </>
  )
}

/** Nothing was answered: it may have been done all the same. */
const isLost = (error: Error) => error instanceof ApiError && error.status === 0

/** An error in the API's own words, with advice, and with the answer that won. */
function Refused({ error, approval }: { error: Error; approval: PendingApproval }) {
  const code = error instanceof ApiError ? error.code : ''
  const advice = (STRINGS.gates.advice as Readonly<Record<string, string>>)[code]
  return (
    <div role="alert" className="mt-3 rounded-lg border bg-muted p-3">
      <p className="font-medium text-destructive">{error.message}</p>
      {advice !== undefined && <p>{advice}</p>}
      {hasNoGate(error) && <Decided run_id={approval.run_id} gate_id={approval.gate_id} />}
    </div>
  )
}
