import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { START } from '../../strings/start.ts'
import { deletePreset, editPreset, type Inputs, makeDefault, type Preset } from './api.ts'

const words = START.presets

/** The actions on a stored preset. An earlier save is not overwritten: the preset is reloaded. */
export function PresetActions({ preset, inputs }: { preset: Preset; inputs: Inputs }) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSettled: () => client.invalidateQueries({ queryKey: ['presets'] }),
  })
  const { is_default, name } = preset
  return (
    <>
      <Button
        disabled={change.isPending}
        onClick={() => change.mutate(() => editPreset(preset, { values: { inputs } }))}
      >
        {words.over}
      </Button>
      <Button
        disabled={change.isPending}
        onClick={() =>
          change.mutate(() => (is_default ? editPreset(preset, { is_default: false }) : makeDefault(preset)))
        }
      >
        {is_default ? words.no_default : words.make_default}
      </Button>
      <Confirm
        ask={words.delete}
        question={words.delete_sure(name)}
        yes={words.delete_yes}
        no={words.keep}
        busy={change.isPending}
        onYes={() => change.mutate(() => deletePreset(preset))}
      />
      <Refusal error={change.error} />
    </>
  )
}
