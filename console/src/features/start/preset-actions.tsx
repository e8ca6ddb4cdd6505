import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { tell } from '../../lib/toast.ts'
import { DOCUMENTS } from '../../strings/documents.ts'
import { START } from '../../strings/start.ts'
import { deletePreset, editPreset, type Inputs, makeDefault, type Preset } from './api.ts'

const words = START.presets

interface Change {
  act: () => Promise<unknown>
  text: (name: string) => string
}

/** The actions on a stored preset. An earlier save is not overwritten: the preset is reloaded. */
export function PresetActions({ preset, inputs }: { preset: Preset; inputs: Inputs }) {
  const client = useQueryClient()
  const { is_default, name } = preset
  const change = useMutation({
    mutationFn: async ({ act }: Change) => await act(),
    onSuccess: (_done, { text }) => tell(text(name)),
    onSettled: () => client.invalidateQueries({ queryKey: ['presets'] }),
  })
  const save = (act: Change['act']) => change.mutate({ act, text: DOCUMENTS.is_saved })
  return (
    <>
      <Button disabled={change.isPending} onClick={() => save(() => editPreset(preset, { values: { inputs } }))}>
        {words.over}
      </Button>
      <Button
        disabled={change.isPending}
        onClick={() => save(() => (is_default ? editPreset(preset, { is_default: false }) : makeDefault(preset)))}
      >
        {is_default ? words.no_default : words.make_default}
      </Button>
      <Confirm
        ask={words.delete}
        question={words.delete_sure(name)}
        yes={words.delete_yes}
        no={words.keep}
        busy={change.isPending}
        onYes={() => change.mutate({ act: () => deletePreset(preset), text: DOCUMENTS.is_removed })}
      />
      <Refusal error={change.error} />
    </>
  )
}
