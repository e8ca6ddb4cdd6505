import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Part } from '../../components/part.tsx'
import { PIPELINES } from '../../strings/pipelines.ts'
import { type Pipeline, type PipelineConfig, pipelineConfigQuery } from './api.ts'

const words = PIPELINES.composed

/** Every value of the pipeline, with its layer. */
export function ComposedPart({ pipeline }: { pipeline: Pipeline }) {
  const [entry, setEntry] = useState(0)
  const query = useQuery(pipelineConfigQuery(pipeline, entry))
  return (
    <Part id="composed" title={words.title}>
      <Asked query={query}>
        {({ settings, inputs, steps }) => (
          <>
            <Values values={[...settings, ...inputs]} label={words.title} />
            {steps.map((step) => (
              <details key={step.id} className="mt-2">
                <summary className="cursor-pointer text-primary">{step.id}</summary>
                {step.template?.changed === true && <p className="text-warning">{words.changed}</p>}
                {step.entry !== undefined && <EntryChoice entry={step.entry} onChoose={setEntry} />}
                <Values values={[...step.settings, ...step.inputs]} label={step.id} />
              </details>
            ))}
          </>
        )}
      </Asked>
    </Part>
  )
}

type Entry = NonNullable<PipelineConfig['steps'][number]['entry']>

/** The shown entry of a list, with its count. */
function EntryChoice({ entry: { index, count }, onChoose }: { entry: Entry; onChoose: (index: number) => void }) {
  if (count === undefined) return <p className="text-muted-foreground">{words.entries_unknown}</p>
  return (
    <p className="flex flex-wrap items-baseline gap-x-3">
      <span>{index < count ? words.entry(index, count) : words.no_entry(index, count)}</span>
      <Button disabled={index === 0} onClick={() => onChoose(Math.min(index, count) - 1)}>
        {words.previous}
      </Button>
      <Button disabled={index + 1 >= count} onClick={() => onChoose(index + 1)}>
        {words.next}
      </Button>
    </p>
  )
}

type Value = PipelineConfig['inputs'][number]

function Values({ values, label }: { values: readonly Value[]; label: string }) {
  return (
    <div className="overflow-x-auto">
      <table aria-label={label} className="w-full text-left text-sm">
        <thead>
          <tr className="text-muted-foreground">
            <th className="pr-4 font-normal">{words.name}</th>
            <th className="pr-4 font-normal">{words.value}</th>
            <th className="font-normal">{words.layer}</th>
          </tr>
        </thead>
        <tbody>
          {values.map((each, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a name may stand for a setting and for an input
            <tr key={`${each.name} ${place}`} className="border-t align-top">
              <th scope="row" className="py-1 pr-4 font-mono font-normal">
                {each.name}
              </th>
              <td className="py-1 pr-4 break-all">{textOf(each)}</td>
              <td className="py-1 text-muted-foreground">{words.layers[each.layer]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function textOf({ value, written }: Value): string {
  if (value !== undefined) return typeof value === 'string' ? value : JSON.stringify(value)
  return written === undefined ? words.unknown : `${words.unknown}: ${JSON.stringify(written)}`
}
