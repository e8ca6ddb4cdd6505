import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FIELD } from '../../components/field.tsx'
import { ApiError } from '../../lib/api.ts'
import { STRINGS } from '../../strings.ts'
import { type Dismissal, dismiss, type StaleSelection } from './api.ts'

const words = STRINGS.gates.stale

/** Two phases: it shows which gates fit, and dismisses exactly those. */
export function DismissDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [found, setFound] = useState<{ selection: StaleSelection; outcome: Dismissal }>()
  const look = useMutation({
    mutationFn: async (selection: StaleSelection) => ({ selection, outcome: await dismiss(selection) }),
    onSuccess: setFound,
  })
  const act = useMutation({
    mutationFn: ({ selection, outcome }: NonNullable<typeof found>) => dismiss(selection, outcome.token),
    onSettled: () => client.invalidateQueries({ queryKey: ['gates'] }),
  })
  const error = act.error ?? look.error
  return (
    <Dialog label={words.title} onClose={onClose} className="max-w-xl">
      {(close) => (
        <>
          <h2 className="text-lg font-semibold">{words.title}</h2>
          <p className="mb-3 text-muted-foreground">{words.what}</p>
          {found === undefined && <Choose busy={look.isPending} onChosen={look.mutate} />}
          {found !== undefined && act.data === undefined && (
            <>
              <RunIds title={foundText(found.outcome)} ids={found.outcome.dismissed} />
              <div className="mt-3 flex flex-wrap gap-3">
                {found.outcome.dismissed.length > 0 && (
                  <Button
                    variant="destructive"
                    aria-disabled={act.isPending}
                    onClick={() => !act.isPending && act.mutate(found)}
                  >
                    {words.act(found.outcome.dismissed.length)}
                  </Button>
                )}
                <Button
                  onClick={() => {
                    act.reset()
                    setFound(undefined)
                  }}
                >
                  {words.back}
                </Button>
              </div>
            </>
          )}
          {act.data !== undefined && (
            <div role="status">
              <p>{words.done(act.data.dismissed.length)}</p>
              {act.data.skipped.length > 0 && (
                <RunIds
                  title={words.skipped(act.data.skipped.length)}
                  ids={act.data.skipped.map(({ run_id, why }) => `${run_id} (${why})`)}
                />
              )}
            </div>
          )}
          {error !== null && (
            <p role="alert" className="mt-3 text-destructive">
              {error.message} {error instanceof ApiError && error.code === 'plan_changed' && words.back}
            </p>
          )}
          <Button onClick={close} className="mt-4">
            {words.close}
          </Button>
        </>
      )}
    </Dialog>
  )
}

function foundText({ dismissed }: Dismissal): string {
  return dismissed.length === 0 ? words.nothing : words.found(dismissed.length)
}

function RunIds({ title, ids }: { title: string; ids: string[] }) {
  return (
    <>
      <p>{title}</p>
      <ul className="text-sm">
        {ids.map((id) => (
          <li key={id}>
            <code className="break-all">{id}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

function Choose({ busy, onChosen }: { busy: boolean; onChosen: (selection: StaleSelection) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name) ?? '').trim()
    const [pack, environment] = [text('pack'), text('environment')]
    onChosen({
      older_than_hours: Number(text('older')),
      reason: text('reason'),
      ...(pack === '' ? {} : { pack }),
      ...(environment === '' ? {} : { environment }),
    })
  }
  return (
    <form onSubmit={submit} className="space-y-3">
      <label className="block">
        {words.older}
        <input
          className={FIELD}
          name="older"
          type="number"
          min={0}
          max={87_600}
          step="any"
          defaultValue={24}
          required
        />
      </label>
      <label className="block">
        {words.pack}
        <input className={FIELD} name="pack" maxLength={100} />
      </label>
      <label className="block">
        {words.environment}
        <input className={FIELD} name="environment" maxLength={100} />
      </label>
      <label className="block">
        {words.reason}
        <input className={FIELD} name="reason" maxLength={4_000} required />
      </label>
      <Button type="submit" aria-disabled={busy}>
        {words.look}
      </Button>
    </form>
  )
}
