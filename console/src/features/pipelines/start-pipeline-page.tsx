import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Prose } from '../../components/prose.tsx'
import { useMe } from '../../lib/use-me.ts'
import { PIPELINES } from '../../strings/pipelines.ts'
import { type BundledPipeline, bundlesQuery, type PipelineBundle } from './api.ts'
import { PipelineForm } from './pipeline-form.tsx'
import { ranksOf } from './ranks.ts'

const words = PIPELINES.start

interface Chosen {
  bundle: PipelineBundle
  pipeline: BundledPipeline
}

/** The pipelines that can be started here, and the form of the chosen one. */
export function StartPipelinePage() {
  const bundles = useQuery(bundlesQuery)
  const [chosen, setChosen] = useState<Chosen>()
  return (
    <>
      <Link to="/pipelines" search={{}} className="link">
        {PIPELINES.back}
      </Link>
      <h1 className="my-2 text-xl font-semibold sm:text-2xl">{words.title}</h1>
      <p className="mb-3 max-w-prose text-muted-foreground">{words.intro}</p>
      {chosen === undefined ? (
        <Asked query={bundles} empty={words.none}>
          {(all) => (
            <ul aria-label={words.title} className="space-y-3">
              {all.map((bundle) => (
                <Bundle key={bundle.path} bundle={bundle} onChoose={(pipeline) => setChosen({ bundle, pipeline })} />
              ))}
            </ul>
          )}
        </Asked>
      ) : (
        <PipelineForm
          key={`${chosen.bundle.path} ${chosen.pipeline.name}`}
          {...chosen}
          onLeave={() => setChosen(undefined)}
        />
      )}
    </>
  )
}

interface BundleProps {
  bundle: PipelineBundle
  onChoose: (pipeline: BundledPipeline) => void
}

function Bundle({ bundle: { path, pipelines, faults }, onChoose }: BundleProps) {
  const me = useMe()
  return (
    <li className="rounded-lg border bg-card p-4">
      <p className="text-sm text-muted-foreground">
        {words.bundle} <code>{path}</code>
      </p>
      {faults.length > 0 && (
        <div role="alert" className="text-destructive">
          <p>{words.broken}</p>
          <ul>
            {faults.map((fault) => (
              <li key={fault} className="break-words">
                {fault}
              </li>
            ))}
          </ul>
        </div>
      )}
      {pipelines.map((pipeline) => (
        <section key={pipeline.name} aria-label={pipeline.name} className="mt-2">
          <h2 className="font-semibold">{pipeline.title}</h2>
          {pipeline.description !== undefined && (
            <p className="max-w-prose break-words">
              <Prose text={pipeline.description} />
            </p>
          )}
          <p className="text-sm text-muted-foreground">
            {words.steps(pipeline.steps.length)}: {orderText(pipeline)}
          </p>
          {me.isOperator && faults.length === 0 && (
            <Button variant="default" className="mt-1" onClick={() => onChoose(pipeline)}>
              {words.choose(pipeline.name)}
            </Button>
          )}
        </section>
      ))}
      {!me.isOperator && <p className="mt-2">{words.look_only}</p>}
    </li>
  )
}

/** The steps in their order, those that may run side by side with a comma between. */
function orderText({ steps }: BundledPipeline): string {
  return ranksOf(steps)
    .map((rank) => rank.map(({ title }) => title).join(', '))
    .join(' → ')
}
