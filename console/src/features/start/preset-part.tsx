import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { tell } from '../../lib/toast.ts'
import { DOCUMENTS } from '../../strings/documents.ts'
import { START } from '../../strings/start.ts'
import { type Inputs, type Of, type Preset, type PresetKind, savePreset } from './api.ts'
import { PresetActions } from './preset-actions.tsx'

const words = START.presets

interface Props {
  kind: PresetKind
  of: Of
  presets: readonly Preset[]
  /** from the form, without secrets */
  inputs: Inputs
  mayWrite: boolean
  onLoad: (preset: Preset) => void
}

/** The presets of one kind: to load one, to save the form, and to change a stored one. */
export function PresetPart({ kind, of, presets, inputs, mayWrite, onLoad }: Props) {
  const [chosen, setChosen] = useState<string>()
  const own = words[kind]
  const preset = presets.find(({ id }) => id === chosen) ?? presets.find(({ is_default }) => is_default) ?? presets[0]
  return (
    <section aria-label={own.title} className="rounded-lg border bg-card p-4">
      <h3 className="font-semibold">{own.title}</h3>
      {preset === undefined ? (
        <p className="text-sm text-muted-foreground">{own.none}</p>
      ) : (
        <>
          <Field name={own.choose}>
            <select className={FIELD} value={preset.id} onChange={({ target }) => setChosen(target.value)}>
              {presets.map(({ id, name, is_default }) => (
                <option key={id} value={id}>
                  {is_default ? words.default(name) : name}
                </option>
              ))}
            </select>
          </Field>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button onClick={() => onLoad(preset)}>{own.load}</Button>
            {mayWrite && <PresetActions key={preset.id} preset={preset} inputs={inputs} />}
          </div>
          {preset.problems.length > 0 && (
            <p className="mt-2 text-sm text-destructive">
              {words.problems} {preset.problems.map(({ pointer, msg }) => `${pointer} ${msg}`).join('; ')}
            </p>
          )}
        </>
      )}
      {mayWrite && <SavePreset kind={kind} of={of} inputs={inputs} onSaved={({ id }) => setChosen(id)} />}
    </section>
  )
}

function SavePreset({
  kind,
  of,
  inputs,
  onSaved,
}: Pick<Props, 'kind' | 'of' | 'inputs'> & { onSaved: (made: Preset) => void }) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const save = useMutation({
    mutationFn: () => savePreset(kind, { ...of, name: name.trim(), inputs }),
    onSuccess: async (made) => {
      setName('')
      tell(DOCUMENTS.is_saved(made.name))
      onSaved(made)
      await client.invalidateQueries({ queryKey: ['presets'] })
    },
  })
  return (
    <div className="mt-3 space-y-2">
      <Field name={words[kind].name} hint={words[kind].hint}>
        <input className={FIELD} maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Refusal error={save.error} />
      <Button disabled={save.isPending || name.trim() === ''} onClick={() => save.mutate()}>
        {words.save}
      </Button>
    </div>
  )
}
