import { type FormEvent, useEffect, useRef } from 'react'
import { Button, Keyed } from '../../components/button.tsx'
import { FIELD } from '../../components/field.tsx'
import { GATE_GROUPS } from '../../strings/gate-groups.ts'
import { STRINGS } from '../../strings.ts'
import type { Decision } from './api.ts'
import { ConfirmedGates } from './confirmed-gates.tsx'
import type { OpenGroup } from './use-open-group.ts'

const words = GATE_GROUPS.form

/** One confirmation for the chosen gates of a group: it names each of them, and the note goes with each. */
export function GroupForm({ group, decision }: { group: OpenGroup; decision: Decision }) {
  const { open, toAnswer, chosen, mustConfirm } = group
  const [gate] = open?.rows ?? []
  const form = useRef<HTMLFormElement>(null)
  // on a phone it stands below the gates
  useEffect(() => form.current?.scrollIntoView({ block: 'nearest' }), [])
  if (open === undefined || gate === undefined) return null
  const approving = decision === 'approve'
  // those that are answered already leave the list while it is sent
  const count = open.isSending ? open.chosen.size : toAnswer.length
  const leftOut = open.isSending ? 0 : chosen.length - count
  const more = approving ? toAnswer.filter(({ missing }) => missing.approvals > 1).length : 0
  const noted = toAnswer.some(({ require_note }) => require_note === 'always' || require_note === decision)
  const sent = [...open.results.values()]
  const isAgain = toAnswer.some(({ run_id }) => open.results.has(run_id))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void group.send()
  }
  return (
    <form
      ref={form}
      aria-label={STRINGS.gates.form[decision]}
      onSubmit={submit}
      className="my-3 scroll-mt-20 scroll-mb-20 rounded-lg border-2 border-primary p-4"
    >
      <h3 className="font-semibold">{words.title[decision](count)}</h3>
      <p className="mb-1">{approving ? words.will(gate.environment, gate.environment_class) : words.not}</p>
      <ConfirmedGates label={words.title[decision](count)} gates={group.asNow(toAnswer)} />
      {leftOut > 0 && <p className="mt-1 text-warning">{words.left_out(leftOut)}</p>}
      {more > 0 && <p className="mt-1">{words.more(more)}</p>}
      {approving && mustConfirm && (
        <label className="my-2 flex items-start gap-2 text-destructive">
          {/* biome-ignore lint/a11y/noAutofocus: it is asked first */}
          <input key={count} type="checkbox" required autoFocus className="mt-1 size-4" />
          <span>
            {words.sure(count)} {STRINGS.gates.form.danger}
          </span>
        </label>
      )}
      <label className="mt-2 block">
        {noted ? words.note_required : words.note}
        <input
          // biome-ignore lint/a11y/noAutofocus: anyone who has begun to answer goes on here
          autoFocus={!(approving && mustConfirm)}
          name="note"
          autoComplete="off"
          required={noted}
          readOnly={open.isSending}
          maxLength={4_000}
          value={open.note}
          onChange={({ target }) => group.write(target.value)}
          className={FIELD}
        />
      </label>
      <div className="mt-3 flex flex-wrap gap-3">
        <Button
          type="submit"
          variant={approving ? 'success' : 'destructive'}
          aria-disabled={open.isSending || count === 0}
        >
          {open.isSending
            ? words.sending(sent.filter(({ kind }) => kind !== 'sending').length, open.chosen.size)
            : isAgain
              ? words.again(count)
              : words.send[decision](count)}
        </Button>
        <Button disabled={open.isSending} onClick={group.leaveAnswer}>
          <Keyed text={STRINGS.gates.form.cancel} />
        </Button>
      </div>
    </form>
  )
}
