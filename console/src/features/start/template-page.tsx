import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Prose } from '../../components/prose.tsx'
import { Risk } from '../../components/status.tsx'
import { useMe } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { START } from '../../strings/start.ts'
import { type Contract, configQuery, contractQuery, type Of, presetsQuery } from './api.ts'
import type { Placed } from './environment-fields.tsx'
import { StartForm } from './start-form.tsx'
import { TemplateFacts } from './template-facts.tsx'

/** One template with its form; a user who may not start sees the description. */
export function TemplatePage() {
  const { pack, template } = useParams({ from: '/start/$pack/$template' })
  return <TemplateStart key={`${pack}/${template}`} of={{ pack, template }} />
}

function TemplateStart({ of }: { of: Of }) {
  const me = useMe()
  const [placed, setPlaced] = useState<Placed>({ reason: '' })
  useTitle(`${of.pack}/${of.template}`, START.title)
  const contract = useQuery(contractQuery(of, placed.environment))
  return (
    <>
      <Link to="/start" search={{}} className="link tap">
        {START.back}
      </Link>
      <Asked query={contract}>
        {(found) => (
          <>
            <Heading contract={found} />
            {me.isOperator ? (
              // another template is another form
              <Form key={found.template_digest} of={of} contract={found} placed={placed} onPlace={setPlaced} />
            ) : (
              <p className="my-3">{START.look_only}</p>
            )}
            <details className="mt-8" open={!me.isOperator}>
              <summary className="cursor-pointer text-primary">{START.look(`${of.pack}/${of.template}`)}</summary>
              <TemplateFacts contract={found} />
            </details>
          </>
        )}
      </Asked>
    </>
  )
}

function Heading({ contract: { title, description, pack, template, version, risk } }: { contract: Contract }) {
  return (
    <>
      <h1 className="my-2 break-words text-xl font-semibold sm:text-2xl">{title}</h1>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <Copyable text={`${pack}/${template}`} />
        <span className="text-sm text-muted-foreground">{version}</span>
        <Risk of={risk} />
      </p>
      {description !== undefined && (
        <p className="max-w-prose break-words">
          <Prose text={description} />
        </p>
      )}
    </>
  )
}

interface FormProps {
  of: Of
  contract: Contract
  placed: Placed
  onPlace: (placed: Placed) => void
}

/** The form begins with what is kept, so that has to be there first. */
function Form({ of, ...rest }: FormProps) {
  const config = useQuery(configQuery(of))
  const configs = useQuery(presetsQuery('config', of))
  const inputs = useQuery(presetsQuery('input', of))
  return (
    <Asked query={config}>
      {(set) => (
        <Asked query={configs}>
          {(config_presets) => (
            <Asked query={inputs}>
              {(input_presets) => (
                <StartForm of={of} {...rest} config={set} presets={{ config: config_presets, input: input_presets }} />
              )}
            </Asked>
          )}
        </Asked>
      )}
    </Asked>
  )
}
